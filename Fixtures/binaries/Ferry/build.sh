#!/bin/bash
# Builds the library and four programs, strips them, and keeps the logs of their runs.
. "$(dirname "$0")/../../tools/environment.sh"

# Frame pointers, so that perf can follow them; no tail calls, so that every call is in the stacks.
flags=(-g -gdwarf-5 -O2 -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id=sha1)
link=(-L "$SCRATCH" -lharbour -Wl,-rpath,'$ORIGIN')

gcc "${NEUTRAL[@]}" "${flags[@]}" -fPIC -shared -Wl,-soname,libharbour.so.1 harbour.c -o libharbour.so.1
ln -s libharbour.so.1 libharbour.so
gcc "${NEUTRAL[@]}" "${flags[@]}" -fPIE -pie ferry.c "${link[@]}" -o ferry-pie
gcc "${NEUTRAL[@]}" "${flags[@]}" -fno-pie -no-pie ferry.c "${link[@]}" -o ferry-nopie
gcc "${NEUTRAL[@]}" "${flags[@]}" -fno-pie -static ferry.c harbour.c -o ferry-static
"$CLANG" "${NEUTRAL_CLANG[@]}" "${flags[@]}" -fPIE -pie -rdynamic ferry.c "${link[@]}" -o ferry-clang

for file in libharbour.so.1 ferry-pie ferry-nopie ferry-static ferry-clang; do
    objcopy --only-keep-debug "$file" "$OUT/$file.debug"
    strip --strip-all "$file"
    (cd "$OUT" && objcopy --add-gnu-debuglink="$file.debug" "$SCRATCH/$file" "$file")
done

python3 "$TOOLS_DIR/ferry_logs.py" "$OUT" "$LOGS_DIR"
# glibc's own code is no part of what is tested; its addresses stay unanswered.
rm "$OUT/ferry-static"
record_versions gcc ld "$CLANG" strip objcopy gdb perf "$LLVM_SYMBOLIZER"
