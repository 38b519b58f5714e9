#!/bin/bash
# The shapes with their debug information in files of its own: split units (.dwo), packages of them (.dwp), and dwz's supplementary file.
. "$(dirname "$0")/../../tools/environment.sh"
cp "$FIXTURES_DIR"/binaries/CXX/{main.cpp,shapes.cpp,shapes.h} .

# split NAME COMPILER FLAG...: each unit in $OUT/NAME-UNIT.dwo, beside the program. A package of them has the program's name with .dwp behind it.
split() {
    local name=$1 compiler=$2 unit
    for unit in main shapes; do
        "$compiler" -g -O2 -gsplit-dwarf "-frandom-seed=$unit" "${@:3}" -c "$unit.cpp" -o "$name-$unit.o"
    done
    "$compiler" "$name-main.o" "$name-shapes.o" -Wl,--build-id=sha1 -o "$OUT/$name"
}

split split-gcc5 g++ "${NEUTRAL[@]}" -gdwarf-5
split split-gcc4 g++ "${NEUTRAL[@]}" -gdwarf-4
split split-clang5 "$CLANG"++ "${NEUTRAL_CLANG[@]}" -gdwarf-5
split split-clang4 "$CLANG"++ "${NEUTRAL_CLANG[@]}" -gdwarf-4
cp split-*.dwo "$OUT"
# The same program under another name, with its split units in a package.
# llvm-dwp 19 does not come to an end on what gcc 12 writes for DWARF 5.
for variant in gcc4 clang5 clang4; do
    cp "$OUT/split-$variant" "$OUT/package-$variant"
    llvm-dwp-19 "split-$variant-main.dwo" "split-$variant-shapes.dwo" -o "$OUT/package-$variant.dwp"
done
# One unit's file is missing: its functions are answered as far as the skeleton and the symbols go.
split split-missing "$CLANG"++ "${NEUTRAL_CLANG[@]}" -gdwarf-5
cp split-missing-main.dwo "$OUT"
# llvm-symbolizer looks for .dwo files in the compilation directory alone, which is not there; it finds packages.
expect_functions "$OUT"/package-{gcc4,clang5,clang4}

# Two programs with most of their entries in common, which dwz moves into a third file.
for name in one two; do
    g++ "${NEUTRAL[@]}" -g -gdwarf-4 -O2 main.cpp shapes.cpp "-DNAME_$name" -Wl,--build-id=sha1 -o "dwz-$name"
done
cp dwz-one dwz-before
dwz -m dwz-common -M dwz-common -h dwz-one dwz-two 2>/dev/null || dwz -m dwz-common -M dwz-common dwz-one dwz-two
cp dwz-one dwz-common dwz-before "$OUT"
record_versions g++ "$CLANG"++ llvm-dwp-19 dwz ld "$LLVM_SYMBOLIZER"
