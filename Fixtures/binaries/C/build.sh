#!/bin/bash
# Builds the ledger with gcc and clang, DWARF 2 to 5, with and without optimization, and two linkers.
. "$(dirname "$0")/../../tools/environment.sh"

sources=(main.c ledger.c report.c)

with_gcc() {
    gcc "${NEUTRAL[@]}" -g "${@:2}" "${sources[@]}" -Wl,--build-id=sha1 -o "$OUT/$1"
}

with_clang() {
    "$CLANG" "${NEUTRAL_CLANG[@]}" -g "${@:2}" "${sources[@]}" -Wl,--build-id=sha1 -o "$OUT/$1"
}

with_gcc c-gcc-dwarf5-O2 -gdwarf-5 -O2
with_gcc c-gcc-dwarf4-O0 -gdwarf-4 -O0
with_gcc c-gcc-dwarf3-O2 -gdwarf-3 -gstrict-dwarf -O2
with_gcc c-gcc-dwarf2-O1 -gdwarf-2 -gstrict-dwarf -O1
with_gcc c-gcc-dwarf5-64bit-O2 -gdwarf-5 -gdwarf64 -O2
with_gcc c-gcc-gc-sections -gdwarf-5 -O1 -ffunction-sections -Wl,--gc-sections -no-pie
with_clang c-clang-dwarf5-O2 -gdwarf-5 -O2
with_clang c-clang-dwarf4-O0 -gdwarf-4 -O0
with_clang c-clang-aranges -gdwarf-4 -gdwarf-aranges -O2
with_clang c-clang-gc-sections -gdwarf-5 -O1 -ffunction-sections -fuse-ld="$(command -v ld.lld-19)" -Wl,--gc-sections
with_clang c-clang-line-tables -gline-tables-only -O2

expect_functions "$OUT"/*
gdb_answers "$OUT/c-gcc-dwarf4-O0" "$OUT/c-clang-dwarf5-O2"
record_versions gdb gcc "$CLANG" ld.lld-19 ld "$LLVM_SYMBOLIZER"
