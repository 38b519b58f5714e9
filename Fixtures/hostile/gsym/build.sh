#!/bin/bash
# Rebuilds the inputs that FuzzSymbolFiles begins with: what llvm-gsymutil makes of small programs of Fixtures/binaries, in both byte orders and widths.
set -euo pipefail
cd "$(dirname "$0")"
binaries=../../binaries
for program in C/out/c-gcc-dwarf5-O2 CXX/out/cxx-clang-dwarf4-O2 Freestanding/out/machine-mips-be Freestanding/out/machine-s390x; do
    llvm-gsymutil-19 --convert="$binaries/$program" --out-file="$(basename "$program").gsym" --num-threads=1 --quiet
done
