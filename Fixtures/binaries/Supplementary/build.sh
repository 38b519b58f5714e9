#!/bin/bash
# DWARF 5's supplementary file, which dwz writes if asked to (`--dwarf-5`): `.debug_sup` in both, DW_FORM_ref_sup4 and DW_FORM_strp_sup in the program.
. "$(dirname "$0")/../../tools/environment.sh"
cp "$FIXTURES_DIR"/binaries/CXX/{main.cpp,shapes.cpp,shapes.h} .

for name in one two; do
    g++ "${NEUTRAL[@]}" -g -gdwarf-5 -O2 main.cpp shapes.cpp "-DNAME_$name" -Wl,--build-id=sha1 -o "sup-$name"
done
cp sup-one sup-before
dwz --dwarf-5 -m sup-common -M sup-common sup-one sup-two
cp sup-one sup-common sup-before "$OUT"

expect_functions "$OUT/sup-before"
record_versions g++ dwz ld "$LLVM_SYMBOLIZER"
