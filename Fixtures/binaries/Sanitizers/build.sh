#!/bin/bash
# Builds out/COMPILER-SANITIZER/: a program and its library, both stripped, and their debug files; lets the program run twice, stripped with the runtime's symbolizer off
# (the log) and with everything and the symbolizer on (what is expected of cairn).
. "$(dirname "$0")/../../tools/environment.sh"

CLANG_RUNTIME=$("$CLANG" -print-resource-dir)/lib/linux

# The symbolizer that clang's runtimes ask; gcc's have libbacktrace inside.
export ASAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER TSAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER UBSAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER
export LSAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER MSAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER HWASAN_SYMBOLIZER_PATH=$LLVM_SYMBOLIZER

# run NAME SYMBOLIZE COMMAND...: what the program in ./run says, without what differs from run to run and from machine to machine. Each process gets the same addresses (setarch -R).
run() {
    local name=$1 options=symbolize=$2
    shift 2
    # Exiting with an error is what these programs are for.
    (cd run && ASAN_OPTIONS=$options TSAN_OPTIONS=$options UBSAN_OPTIONS=$options:print_stacktrace=1 LSAN_OPTIONS=$options MSAN_OPTIONS=$options \
        HWASAN_OPTIONS=$options:random_tags=0 LD_LIBRARY_PATH=$CLANG_RUNTIME:$SWIFT_RUNTIME setarch -R timeout 60 "$@" 2>&1 || true) |
        sed -E -e "s|$SCRATCH/run/|/src/|g" -e "s|$SCRATCH/|/src/|g" -e "s|$CLANG_RUNTIME/|/usr/lib/clang/|g" -e "s|$SWIFT_RUNTIME/|/usr/lib/swift/|g" \
            -e 's|/home/build-user/|/build/|g' -e 's/==[0-9]+==/==4711==/' -e 's/\((pid|tid)=[0-9]+/(\1=4711/' -e '/^(hwasan_dev_note|artifact_prefix|Base64|MS:)/d' >"$name"
}

# make COMPILER SANITIZER FORMAT WHAT COMPILE-FLAGS... [-- LINK-FLAGS...]
make() {
    local compiler=$1 name=$2 format=$3 what=$4
    local folder=$OUT/${compiler##*/}-$name
    folder=${folder/clang++/clang}
    folder=${folder/g++/gcc}
    shift 4
    local flags=() links=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do flags+=("$1"); shift; done
    [ $# -eq 0 ] || { shift; links=("$@"); }
    local neutral=("${NEUTRAL[@]}")
    [ "$compiler" = g++ ] || neutral=("${NEUTRAL_CLANG[@]}")
    local source=main.cpp
    [ "$name" != fuzzer ] || source=fuzzer.cpp
    local common=("${neutral[@]}" -g -gdwarf-5 -O1 -fno-omit-frame-pointer "${flags[@]}" -Wl,--build-id=sha1)
    rm -rf run && mkdir run
    local library=("${common[@]}")
    [ "$name" != fuzzer ] || library=("${common[@]/-fsanitize=fuzzer/-fsanitize=fuzzer-no-link}")
    "$compiler" "${library[@]}" -fPIC -shared store.cpp -Wl,-soname,libstore.so -o run/libstore.so
    # AddressSanitizer wants its library to be the first.
    "$compiler" "${common[@]}" "${links[@]}" "$source" -o run/main -Lrun -lstore -pthread -Wl,-rpath,'$ORIGIN'

    local logs=$LOGS_DIR/$format/Sanitizers-$(basename "$folder")
    rm -rf "$logs" && mkdir -p "$logs" "$folder"
    local command=(./main "$what")
    [ "$name" != fuzzer ] || command=(./main -seed=1 -runs=1)
    run "$logs/symbolized.txt" 1 "${command[@]}"
    local file
    for file in libstore.so main; do
        objcopy --only-keep-debug "run/$file" "$folder/$file.debug"
        strip --strip-all "run/$file"
        (cd run && objcopy --add-gnu-debuglink="$folder/$file.debug" "$file")
        cp "run/$file" "$folder/$file"
    done
    run "$logs/log.txt" 0 "${command[@]}"
    # A runtime inside the program brings megabytes of its own, of which no frame is asked for.
    [ "$(stat -c %s "$folder/main")" -lt 200000 ] || rm "$folder/main" "$folder/main.debug"
    grep -q '(/src/libstore.so+0x\|(libstore.so+0x' "$logs/log.txt" || fail "$folder: nothing was reported"
}

# Only the runtime's library: what clang would add to it carries debug information of its own.
shared=(-fno-sanitize-link-runtime --)
dispatch=(-L"$SWIFT_RUNTIME" -ldispatch -lBlocksRuntime)
make g++ address sanitizer-asan address -fsanitize=address
make g++ thread sanitizer-tsan thread -fsanitize=thread
make g++ undefined sanitizer-ubsan undefined -fsanitize=undefined
make g++ leak sanitizer-lsan leak -fsanitize=leak
make "$CLANG++" address sanitizer-asan address -fsanitize=address "${shared[@]}" "$CLANG_RUNTIME/libclang_rt.asan-x86_64.so"
make "$CLANG++" thread sanitizer-tsan thread -fsanitize=thread "${shared[@]}" "$CLANG_RUNTIME/libclang_rt.tsan-x86_64.so" "${dispatch[@]}"
make "$CLANG++" undefined sanitizer-ubsan undefined -fsanitize=undefined "${shared[@]}" "$CLANG_RUNTIME/libclang_rt.ubsan_standalone-x86_64.so"
make "$CLANG++" leak sanitizer-lsan leak -fsanitize=leak
make "$CLANG++" memory sanitizer-msan memory -fsanitize=memory -fsanitize-memory-track-origins=2
make "$CLANG++" hwaddress sanitizer-hwasan address -fsanitize=hwaddress -fsanitize-hwaddress-experimental-aliasing
make "$CLANG++" fuzzer sanitizer-libfuzzer fuzz -fsanitize=fuzzer
record_versions g++ "$CLANG++" objcopy strip "$LLVM_SYMBOLIZER"
