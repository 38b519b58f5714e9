#!/bin/bash
# Line programs of our own, around code that is only space: rules that no compiler for a machine at hand makes use of.
. "$(dirname "$0")/../../tools/environment.sh"

# assemble NAME SOURCE OPTION...
assemble() {
    "$CLANG" -target x86_64-unknown-linux-gnu -c "$2" "${@:3}" -o "$1.o"
    # Code at 0x1000, as in position-independent programs.
    ld.lld-19 -nostdlib --entry=0 --build-id=sha1 -Ttext=0x1000 "$1.o" -o "$OUT/$1"
}

for name in vliw words order removed; do
    assemble "$name" "$name.s"
done
assemble removed-kept-alone removed.s -Wa,-defsym,KEPT_ALONE=1

expect_functions "$OUT"/{vliw,words,order,removed-kept-alone}
record_versions "$CLANG" ld.lld-19 "$LLVM_SYMBOLIZER"
