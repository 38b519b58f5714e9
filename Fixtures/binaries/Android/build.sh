#!/bin/bash
# Builds a library as Android's NDK does, with clang and LLD against nothing, and makes the logs of its crash.
. "$(dirname "$0")/../../tools/environment.sh"

# build FOLDER TARGET FLAG... -- LINKER-FLAG...: the library as an app ships it, and its separate debug file.
build() {
    local folder=$OUT/$1 target=$2
    shift 2
    local compile=() link=()
    while [ $# -gt 0 ] && [ "$1" != -- ]; do compile+=("$1"); shift; done
    [ $# -eq 0 ] || shift
    link=("$@")
    mkdir -p "$folder"
    "$CLANG" -target "$target" "${NEUTRAL_CLANG[@]}" -g -gdwarf-5 -O1 -fPIC -fvisibility=hidden -ffreestanding -fno-exceptions -fno-rtti \
        -fno-optimize-sibling-calls -funwind-tables "${compile[@]}" -c shop.cpp -o shop.o
    ld.lld-19 -shared -soname libshop.so --build-id=sha1 "${link[@]}" shop.o -o libshop.so
    llvm-objcopy-19 --only-keep-debug libshop.so "$folder/libshop.so.debug"
    llvm-strip-19 --strip-unneeded -o "$folder/libshop.so" libshop.so
    cp libshop.so "$SCRATCH/libshop-$(basename "$folder").so"
}

# LLD's own layout: the code's address is not its offset in the file. (The name of the folder is Android's of the ABI.)
build arm64-v8a aarch64-linux-android21
# 32-bit ARM, Thumb.
build armeabi-v7a armv7a-linux-androideabi21 -mthumb -- --no-rosegment
# One segment with code from the file's first byte on, linked at 0x20000: what prelinked libraries and packed relocations look like; its load bias is not 0.
build x86_64 x86_64-linux-android21 -- --no-rosegment --image-base=0x20000

expect_functions "$OUT"/*/libshop.so.debug
python3 "$TOOLS_DIR/android_logs.py" "$OUT" "$SCRATCH" "$LOGS_DIR"
python3 "$TOOLS_DIR/tombstone_pb.py" "$LOGS_DIR"
record_versions "$CLANG" ld.lld-19 llvm-objcopy-19 llvm-strip-19 "$LLVM_SYMBOLIZER"
