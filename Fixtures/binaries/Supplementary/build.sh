#!/bin/bash
# DWARF 5's supplementary file, which dwz writes if asked to (`--dwarf-5`): `.debug_sup` in both, DW_FORM_ref_sup4 and DW_FORM_strp_sup in the program;
# and partial units.
. "$(dirname "$0")/../../tools/environment.sh"
cp "$FIXTURES_DIR"/binaries/CXX/{main.cpp,shapes.cpp,shapes.h} .

for name in one two; do
    g++ "${NEUTRAL[@]}" -g -gdwarf-5 -O2 main.cpp shapes.cpp "-DNAME_$name" -Wl,--build-id=sha1 -o "sup-$name"
done
cp sup-one sup-before
dwz --dwarf-5 -m sup-common -M sup-common sup-one sup-two
cp sup-one sup-common sup-before "$OUT"

# Within one file, dwz moves what units have in common to partial units, which they import (DW_TAG_imported_unit).
bare=(-g -gdwarf-4 -O2 -nostdlib -static -fno-stack-protector -fcf-protection=none)
for name in east north south; do gcc "${NEUTRAL[@]}" "${bare[@]}" -DNAME=$name -c part.c -o $name.o; done
gcc "${NEUTRAL[@]}" "${bare[@]}" -Wl,--build-id=sha1 part_main.c east.o north.o south.o -o "$OUT/partial-units"
dwz "$OUT/partial-units"

expect_functions "$OUT"/{sup-before,partial-units}
record_versions g++ gcc dwz ld "$LLVM_SYMBOLIZER"
