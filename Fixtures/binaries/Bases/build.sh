#!/bin/bash
# Builds programs that tell their memory map themselves, strips them, and keeps their logs.
. "$(dirname "$0")/../../tools/environment.sh"

flags=(-g -gdwarf-5 -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1)
gcc "${NEUTRAL[@]}" "${flags[@]}" -static-pie -fPIE tide.c -o tide-static
# LLVM's linker: no byte of code lies in memory as far from the program's first as it lies in the file.
"$CLANG" "${NEUTRAL_CLANG[@]}" "${flags[@]}" -fPIE -pie -fuse-ld=lld tide.c -o tide
# The standard library is in a file of its own, so that the program's debug information is the program's.
rustc --edition 2021 -g -C opt-level=1 -C prefer-dynamic "--remap-path-prefix=$SCRATCH=/src" -C link-arg=-Wl,--build-id=sha1 wave.rs -o wave
build_swift swell -Onone "$SCRATCH/swell.swift"
mv "$OUT/swell" swell
for file in tide-static tide wave swell; do
    objcopy --only-keep-debug "$file" "$OUT/$file.debug"
    # As Rust's and most distributions' release builds are: names and no lines.
    strip --strip-debug -o "$file-names" "$file"
    strip --strip-all "$file"
done
# Where its code lies in the file only the program itself tells.
cp tide "$OUT/tide"
cp "$(rustc --print target-libdir)"/libstd-*.so .
LIBRARIES="$SWIFT_RUNTIME" python3 "$TOOLS_DIR/base_logs.py" "$SCRATCH" "$OUT" "$LOGS_DIR"
record_versions gcc ld "$CLANG" ld.lld rustc "$SWIFTC" strip objcopy gdb "$LLVM_SYMBOLIZER"
