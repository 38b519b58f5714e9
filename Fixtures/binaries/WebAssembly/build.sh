#!/bin/bash
# Builds a module with clang and wasm-ld, strips it, and keeps the logs of its crash in Node and in Wasmtime (Python with PyPI's
# wasmtime, as WASMTIME_PYTHON says).
. "$(dirname "$0")/../../tools/environment.sh"

python=${WASMTIME_PYTHON:-python3}
command -v node >/dev/null || fail "no node: expected the package nodejs"
"$python" -c 'import wasmtime' 2>/dev/null || fail "no wasmtime for Python: expected pip install wasmtime, and WASMTIME_PYTHON"

# build NAME FLAG...
build() {
    local name=$1
    shift
    "$CLANG" -target wasm32-unknown-unknown "${NEUTRAL_CLANG[@]}" -g -gdwarf-4 -nostdlib "$@" -c crane.c -o "$name.o"
    "$SWIFT_BIN/wasm-ld" --no-entry --build-id=sha1 "$name.o" -o "$OUT/$name.wasm"
}
build debug -O0
build optimized -O2
cp optimized.o "$OUT/crane.o"
llvm-objcopy-19 --strip-all --remove-section=name --remove-section=build_id "$OUT/optimized.wasm" stripped.wasm
# A custom section: its number, its size, and the counted texts that it holds.
python3 - "$OUT/stripped.wasm" <<'PYTHON'
import sys
name, target = b"external_debug_info", b"optimized.wasm"
content = bytes([len(name)]) + name + bytes([len(target)]) + target
open(sys.argv[1], "wb").write(open("stripped.wasm", "rb").read() + bytes([0, len(content)]) + content)
PYTHON

mkdir -p "$LOGS_DIR/javascript-error/crane" "$LOGS_DIR/wasmtime/crane"
for name in debug optimized stripped; do
    cp "$OUT/$name.wasm" crane.wasm
    node run.mjs crane.wasm 2>&1 | sed "s|file://$SCRATCH|file:///src|" >"$LOGS_DIR/javascript-error/crane/$name.txt" || true
    "$python" run.py crane.wasm >"$LOGS_DIR/wasmtime/crane/$name.txt"
    WASMTIME_BACKTRACE_DETAILS=1 "$python" run.py crane.wasm >"$LOGS_DIR/wasmtime/crane/$name-details.txt"
done
rm "$LOGS_DIR/wasmtime/crane/stripped-details.txt"
record_versions "$CLANG" "$SWIFT_BIN/wasm-ld" node "$python" llvm-objcopy-19
