#!/bin/bash
# Builds out/CrashExample and out/CrashExample.dSYM (both universal: x86_64, arm64), and every log made from them.
. "$(dirname "$0")/../../tools/environment.sh"

sources=(main CrashExampleAppDelegate RootObject)

grep -n 'runTransitionOfKind:_kind\];' CrashExampleAppDelegate.m | grep -q '^94:' || fail "the message is not sent at line 94"

for arch in x86_64 arm64; do
    # Line 94 is to be one row of the line table, as 2008's compilers wrote it: no columns, no inlining, and -Og, because
    # clang's -O0 scatters rows of line 0 between a line's instructions. No sibling calls: the callers stay on the stack.
    flags=(-g -gno-column-info -Og -fno-inline -fno-optimize-sibling-calls)
    objects=()
    for source in "${sources[@]}"; do
        "$CLANG" -target "$arch-apple-macos12" "${flags[@]}" "${NEUTRAL_CLANG[@]}" \
            -c "$source.m" -o "$source.$arch.o"
        objects+=("$source.$arch.o")
    done

    # A small page zero gives the small addresses of 2008. arm64's pages are 16 KiB: 0x4000 is the smallest there
    # (ld64.lld rounds 0x1000 down to no page zero at all).
    case $arch in
        x86_64) page_zero=0x1000 ;;
        arm64) page_zero=0x4000 ;;
    esac
    ld64.lld-19 -arch "$arch" -platform_version macos 12.0 12.0 -undefined dynamic_lookup -e _main \
        -pagezero_size "$page_zero" -oso_prefix "$SCRATCH/" -o "CrashExample.$arch" "${objects[@]}"
done

llvm-lipo-19 -create CrashExample.x86_64 CrashExample.arm64 -output "$OUT/CrashExample"
cp "$OUT/CrashExample" .
make_dsym CrashExample "$OUT/CrashExample.dSYM"

python3 "$TOOLS_DIR/crash_example_logs.py" "$OUT" "$SCRATCH" "$LOGS_DIR"
python3 "$TOOLS_DIR/apple_json_logs.py" "$LOGS_DIR"
python3 "$TOOLS_DIR/apple_text_logs.py" "$LOGS_DIR"
record_versions "$CLANG" ld64.lld-19 dsymutil-19 llvm-lipo-19 "$LLVM_SYMBOLIZER"
