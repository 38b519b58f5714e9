#!/bin/bash
# Builds out/libqueue.so.1, the same library as distributions strip it, and one with another load address.
. "$(dirname "$0")/../../tools/environment.sh"

flags=(-shared -fPIC -fvisibility=hidden -g -gdwarf-5 -O2 -nostdlib -Wl,-soname,libqueue.so.1 -Wl,--build-id=sha1)
gcc "${NEUTRAL[@]}" "${flags[@]}" queue.c spin.S -o "$OUT/libqueue.so.1"
strip --strip-unneeded -o "$OUT/libqueue-stripped.so.1" "$OUT/libqueue.so.1"

# Prelinked libraries, and the kernel's vDSO of old, do not start at 0: a lookup must add the first segment's address.
gcc "${NEUTRAL[@]}" "${flags[@]}" -Wl,-Ttext-segment=0x3d400000 queue.c spin.S -o "$OUT/libqueue-prelinked.so.1"

expect_functions "$OUT/libqueue.so.1" "$OUT/libqueue-prelinked.so.1"
record_versions gcc ld strip "$LLVM_SYMBOLIZER"
