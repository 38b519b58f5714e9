#!/bin/bash
# Small programs about what belongs to which function.
. "$(dirname "$0")/../../tools/environment.sh"

bare=(-nostdlib -static -fno-stack-protector -fcf-protection=none -Wl,--build-id=sha1)

gcc "${NEUTRAL[@]}" "${bare[@]}" -g -gdwarf-5 -O1 nested.c -o "$OUT/nested"
g++ "${NEUTRAL[@]}" "${bare[@]}" -g1 -gdwarf-5 -O1 -fno-exceptions plain.cpp -o "$OUT/plain-g1"
gcc "${NEUTRAL[@]}" "${bare[@]}" -g -gdwarf-5 -O2 cold.c -o "$OUT/cold"
# Without symbols, debug information alone names functions: nothing tells which `add` it is, and the cold part is no function of its own.
for name in nested plain-g1 cold; do
    strip --strip-unneeded --keep-section='.debug*' "$OUT/$name" -o "$OUT/$name-stripped"
done

"$CLANG" "${NEUTRAL_CLANG[@]}" -g -gdwarf-5 -O1 -fno-stack-protector -c table.c -o table.o
as --gdwarf-5 "--debug-prefix-map=$SCRATCH=/src" twice.s -o twice.o
ld --build-id=sha1 table.o twice.o -o "$OUT/table-part"

# with_lld NAME DWARF-VERSION SOURCE... -- LINKER-OPTION...
with_lld() {
    local name=$1 version=$2 source objects=()
    shift 2
    while [ "$1" != -- ]; do
        "$CLANG" "${NEUTRAL_CLANG[@]}" -g "-gdwarf-$version" -O1 -ffunction-sections -fno-stack-protector -c "$1" -o "${1%.c}.o"
        objects+=("${1%.c}.o")
        shift
    done
    ld.lld-19 -nostdlib --build-id=sha1 --gc-sections --image-base=0 "${@:2}" "${objects[@]}" -o "$OUT/$name"
}

with_lld folded-dwarf4 4 same_one.c same_two.c -- --icf=all
with_lld folded-dwarf5 5 same_one.c same_two.c -- --icf=all
# What ld.lld writes for dropped code by itself, and the marks of DWARF 6 and of `.debug_ranges`.
with_lld gone-dwarf4 4 gone.c --
with_lld gone-dwarf5 5 gone.c --
minus_one=0xffffffffffffffff minus_two=0xfffffffffffffffe
with_lld gone-dwarf4-marked 4 gone.c -- -z "dead-reloc-in-nonalloc=.debug_*=$minus_one" -z "dead-reloc-in-nonalloc=.debug_ranges=$minus_two"
with_lld gone-dwarf5-marked 5 gone.c -- -z "dead-reloc-in-nonalloc=.debug_*=$minus_one"
with_lld gone-dwarf5-zero 5 gone.c -- -z "dead-reloc-in-nonalloc=.debug_*=0"

expect_functions "$OUT"/{nested,plain-g1,cold,table-part,folded-dwarf4,folded-dwarf5,gone-dwarf4,gone-dwarf5,gone-dwarf4-marked,gone-dwarf5-marked,gone-dwarf5-zero}
python3 "$TOOLS_DIR/address_lists.py" "$FIXTURES_DIR"
record_versions gcc g++ strip as ld "$CLANG" ld.lld-19 "$LLVM_SYMBOLIZER"
