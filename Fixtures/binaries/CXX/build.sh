#!/bin/bash
# Builds the shapes with gcc and clang, DWARF 4 and 5, with and without optimization, and once more as a whole program.
. "$(dirname "$0")/../../tools/environment.sh"

sources=(main.cpp shapes.cpp)

with_gcc() {
    g++ "${NEUTRAL[@]}" -g "${@:2}" "${sources[@]}" -Wl,--build-id=sha1 -o "$OUT/$1"
}

with_clang() {
    "$CLANG"++ "${NEUTRAL_CLANG[@]}" -g "${@:2}" "${sources[@]}" -Wl,--build-id=sha1 -o "$OUT/$1"
}

with_gcc cxx-gcc-dwarf5-O2 -gdwarf-5 -O2
with_gcc cxx-gcc-dwarf4-O0 -gdwarf-4 -O0
with_gcc cxx-gcc-types -gdwarf-4 -fdebug-types-section -O2
with_gcc cxx-gcc-lto -gdwarf-5 -O2 -flto -frandom-seed=cairn
with_clang cxx-clang-dwarf5-O2 -gdwarf-5 -O2
with_clang cxx-clang-dwarf4-O2 -gdwarf-4 -O2
with_clang cxx-clang-dwarf5-O0 -gdwarf-5 -O0
with_clang cxx-clang-lto -gdwarf-5 -O2 -flto -fuse-ld="$SWIFT_BIN/ld.lld"

expect_functions "$OUT"/*
record_versions g++ "$CLANG"++ "$SWIFT_BIN/ld.lld" ld "$LLVM_SYMBOLIZER"
