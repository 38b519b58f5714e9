#!/bin/bash
# A Java program whose native library writes where nothing is; the logs of two Java machines, with the library stripped and as it was built.
if ! "${CAIRN_RECENT_JAVA:-false}" -version >/dev/null 2>&1; then
    echo "fixtures: JavaNative: set CAIRN_RECENT_JAVA to the java command of release 21 or later, which reads debug information" >&2
    exit 1
fi
. "$(dirname "$0")/../../tools/environment.sh"

home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
# Version 4: the machine's own reader knows no later one.
gcc -gdwarf-4 -O2 -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer -fPIC -shared "-I$home/include" "-I$home/include/linux" \
    "-ffile-prefix-map=$SCRATCH=/src" -Wl,--build-id=sha1 tank.c -o libtank.so
javac --release 17 -d . Tank.java Leak.java
folder=/srv/cairn-fixtures
logs=$LOGS_DIR/jvm-hserr/JavaNative
rm -rf "$logs" && mkdir -p "$logs"
# crash LOG JAVA: the machine's log without what it says of this computer.
crash() {
    (cd $folder && ulimit -c 0 && env -i setarch -R "$2" -Xint -Xmx64m -XX:ErrorFile=$folder/log -cp . Tank $folder/libtank.so >/dev/null 2>&1 || true) 2>/dev/null
    python3 shorten_log.py $folder/log >"$logs/$1"
    rm $folder/log
}
rm -rf $folder && mkdir -p $folder
cp Tank.class libtank.so $folder
crash recent-itself.log "$CAIRN_RECENT_JAVA"
strip -o $folder/libtank.so libtank.so
crash java17-stripped.log "$home/bin/java"
crash recent-stripped.log "$CAIRN_RECENT_JAVA"
objcopy --only-keep-debug libtank.so "$OUT/libtank.so.debug"
python3 expect_frames.py "$OUT/libtank.so.debug" "$TOOLS_DIR" "$logs"/*-stripped.log >"$OUT/libtank.frames.tsv"
rm -rf "$LOGS_DIR/java-trace/Leak" && mkdir -p "$LOGS_DIR/java-trace/Leak"
"$home/bin/java" -cp . Leak >"$LOGS_DIR/java-trace/Leak/trace.txt" 2>&1 || true
rm -rf $folder
cat >>versions.txt <<END
- \`java\`: $("$home/bin/java" -version 2>&1 | sed -n 2p)
- \`CAIRN_RECENT_JAVA\`: $("$CAIRN_RECENT_JAVA" -version 2>&1 | sed -n 2p)
END
record_versions gcc objcopy "$LLVM_SYMBOLIZER"
cat versions.txt >>"$CASE_DIR/README.md"
