#!/bin/bash
# One program, its type units in `.debug_types` and in `.debug_info`.
. "$(dirname "$0")/../../tools/environment.sh"

# assemble NAME OPTION...
assemble() {
    "$CLANG" -target x86_64-unknown-linux-gnu -c gauge.s "${@:2}" -o "$1.o"
    ld.lld-19 -nostdlib --entry=0 --build-id=sha1 -Ttext=0x1000 "$1.o" -o "$1.linked"
    # Without symbols, which would give the names too.
    llvm-strip-19 --strip-unneeded --keep-section='.debug*' "$1.linked" -o "$OUT/$1"
}

assemble gauge-dwarf4
assemble gauge-dwarf5 -Wa,-defsym,VERSION5=1

record_versions "$CLANG" ld.lld-19 llvm-strip-19 "$LLVM_SYMBOLIZER"
