#!/bin/bash
# Units whose values are written in all the forms that the standard has.
. "$(dirname "$0")/../../tools/environment.sh"

# assemble NAME SOURCE TARGET OPTION...
assemble() {
    "$CLANG" -target "$3" -c "$2" "${@:4}" -o "$1.o"
    # Without joining equal strings (-O0): offsets are counted by the assembler.
    ld.lld-19 -O0 -nostdlib --entry=0 --build-id=sha1 -z max-page-size=4096 -Ttext=0x1000 "$1.o" -o "$1.linked"
    # Without symbols, which would give the names too.
    llvm-strip-19 --strip-unneeded --keep-section='.debug*' "$1.linked" -o "$OUT/$1"
}

assemble forms forms.s x86_64-unknown-linux-gnu
assemble forms-big-dwarf64 forms.s powerpc-unknown-linux-gnu -Wa,-defsym,BIG=1
assemble forms-dwarf2 forms2.s x86_64-unknown-linux-gnu

record_versions "$CLANG" ld.lld-19 llvm-strip-19 "$LLVM_SYMBOLIZER"
