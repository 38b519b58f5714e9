#!/bin/bash
# Rebuilds the inputs that the fuzzers of debug information begin with: debug sections of small programs of Fixtures/binaries, without their container, and their
# line programs (../lines); and two programs that are slow to read.
set -euo pipefail
cd "$(dirname "$0")"
binaries=../../binaries
python3 ../../tools/dwarf_frames.py . ../lines "$binaries"/C/out/{c-gcc-dwarf2-O1,c-gcc-dwarf5-64bit-O2,c-clang-dwarf5-O2} \
    "$binaries"/CXX/out/cxx-clang-dwarf4-O2 "$binaries"/Freestanding/out/machine-mips-be

# Small files whose debug information takes long to read.
for name in many-units many-ranges own-sibling; do
    as "$name.s" -o "$name.o"
    ld -Ttext=0x1000 --compress-debug-sections=zlib "$name.o" -o "$name"
    rm "$name.o"
done
