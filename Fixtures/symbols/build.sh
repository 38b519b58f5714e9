#!/bin/bash
# Rebuilds the Breakpad symbol files from programs of Fixtures/binaries, by what llvm-symbolizer (21) says of every byte of their code.
set -euo pipefail
cd "$(dirname "$0")"
export LLVM_SYMBOLIZER=${LLVM_SYMBOLIZER:-$(dirname "$(readlink -f "$(command -v swift)")")/llvm-symbolizer}
dump() { python3 ../tools/breakpad_symbols.py "../binaries/$1" "${@:2}"; }
dump CXX/out/cxx-gcc-dwarf5-O2 cxx-gcc-dwarf5-O2.sym Linux x86_64 cxx-gcc-dwarf5-O2
dump Ferry/out/ferry-nopie.debug ferry-nopie.sym Linux x86_64 ferry-nopie
dump CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample CrashExample-arm64.sym mac arm64 CrashExample arm64
dump CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample CrashExample-x86_64.sym mac x86_64 CrashExample x86_64
