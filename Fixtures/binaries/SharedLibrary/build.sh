#!/bin/bash
# Builds out/libqueue.so.1, the same library as distributions strip it, and one with another load address.
. "$(dirname "$0")/../../tools/environment.sh"

flags=(-shared -fPIC -fvisibility=hidden -g -gdwarf-5 -O2 -nostdlib -Wl,-soname,libqueue.so.1 -Wl,--build-id=sha1)
gcc "${NEUTRAL[@]}" "${flags[@]}" queue.c spin.S -o "$OUT/libqueue.so.1"
strip --strip-unneeded -o "$OUT/libqueue-stripped.so.1" "$OUT/libqueue.so.1"

# MiniDebugInfo, as Fedora's find-debuginfo.sh packs it: the symbols of functions that the dynamic table does not have.
mini=$SCRATCH/mini
nm --dynamic --format=posix --defined-only "$OUT/libqueue.so.1" | awk '{ print $1 }' | sort >"$mini.dynamic"
nm --format=posix --defined-only "$OUT/libqueue.so.1" | awk '$2 ~ /[TtD]/ { print $1 }' | sort >"$mini.functions"
comm -13 "$mini.dynamic" "$mini.functions" >"$mini.keep"
objcopy --only-keep-debug "$OUT/libqueue.so.1" "$mini.debug"
objcopy --strip-all --remove-section=.comment --keep-symbols="$mini.keep" "$mini.debug" "$mini" 
xz --keep --check=crc32 "$mini"
objcopy --add-section=.gnu_debugdata="$mini.xz" "$OUT/libqueue-stripped.so.1" "$OUT/libqueue-mini.so.1"

# Prelinked libraries, and the kernel's vDSO of old, do not start at 0: a lookup must add the first segment's address.
gcc "${NEUTRAL[@]}" "${flags[@]}" -Wl,-Ttext-segment=0x3d400000 queue.c spin.S -o "$OUT/libqueue-prelinked.so.1"

expect_functions "$OUT/libqueue.so.1" "$OUT/libqueue-prelinked.so.1"
python3 "$TOOLS_DIR/linux_logs.py" "$OUT" "$LOGS_DIR"
record_versions gcc ld strip objcopy xz "$LLVM_SYMBOLIZER"
