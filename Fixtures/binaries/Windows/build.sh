#!/bin/bash
# Builds a program for Windows with MinGW, splits off its debug information, and keeps what Wine prints of its crash.
. "$(dirname "$0")/../../tools/environment.sh"

for tool in x86_64-w64-mingw32-gcc wine; do command -v "$tool" >/dev/null || fail "no $tool: expected the packages gcc-mingw-w64-x86-64 and wine64"; done

# The C library is left out: the file stays small.
x86_64-w64-mingw32-gcc -O1 -g "${NEUTRAL[@]}" -nostdlib -Wl,-e,start -Wl,--build-id -Wl,--no-insert-timestamp berth.c -o "$OUT/Berth.exe"
mkdir "$OUT/stripped"
x86_64-w64-mingw32-objcopy --only-keep-debug "$OUT/Berth.exe" "$OUT/stripped/Berth.exe.debug"
x86_64-w64-mingw32-objcopy --strip-all --add-gnu-debuglink="$OUT/stripped/Berth.exe.debug" "$OUT/Berth.exe" "$OUT/stripped/Berth.exe"

mkdir -p "$LOGS_DIR/winedbg/berth"
cp "$OUT/Berth.exe" .
# The debugger looks for the sources of Wine's libraries below the current folder.
folder=Z:${SCRATCH//\//\\}
WINEPREFIX=$SCRATCH/wine WINEDEBUG=-all wine Berth.exe >wine.txt 2>&1 || true
python3 - "$folder" >"$LOGS_DIR/winedbg/berth/backtrace.txt" <<'PYTHON'
import sys
text = open("wine.txt").read()
sys.stdout.write(text[text.index("wine: Unhandled"):text.index("Threads:\n")].replace(sys.argv[1], "Z:\\src"))
PYTHON
record_versions x86_64-w64-mingw32-gcc x86_64-w64-mingw32-ld wine
