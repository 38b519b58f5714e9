#!/bin/bash
# Files without DWARF, each about a rule of symbol tables.
. "$(dirname "$0")/../../tools/environment.sh"

gcc "${NEUTRAL[@]}" -O1 -fPIC -shared -nostdlib -fvisibility=hidden -fno-stack-protector -fcf-protection=none -fno-asynchronous-unwind-tables \
    -Wl,--version-script=versions.map -Wl,--build-id=sha1 versions.c -o "$OUT/libversions.so"
# The dynamic table alone: versions stand behind the names of the other.
strip --strip-unneeded "$OUT/libversions.so" -o "$OUT/libversions-stripped.so"

"$CLANG" -target x86_64-unknown-linux-gnu -c labels.s -o labels.o
ld.lld-19 -nostdlib --entry=0 --build-id=sha1 -Ttext=0x1000 labels.o -o "$OUT/labels"

"$CLANG" -target armv7-unknown-linux-gnueabihf -c arm.s -o arm.o
ld.lld-19 -nostdlib --entry=0 --build-id=sha1 -z max-page-size=4096 -Ttext=0x1000 arm.o -o "$OUT/arm-and-thumb"

yaml2obj-19 descriptors.yaml -o "$OUT/descriptors"

expect_functions "$OUT"/{libversions.so,labels,arm-and-thumb}
record_versions gcc ld strip "$CLANG" ld.lld-19 yaml2obj-19 "$LLVM_SYMBOLIZER"
