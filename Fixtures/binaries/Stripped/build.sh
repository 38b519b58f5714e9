#!/bin/bash
# One program of the case CXX, and what is left of it when parts of its debug information are taken away or packed.
. "$(dirname "$0")/../../tools/environment.sh"

cp "$FIXTURES_DIR"/binaries/CXX/*.cpp "$FIXTURES_DIR"/binaries/CXX/*.h .
sources=(main.cpp shapes.cpp)

g++ "${NEUTRAL[@]}" -g -gdwarf-5 -O2 "${sources[@]}" -Wl,--build-id=sha1 -o shapes

# Both compilers' way to packed sections (SHF_COMPRESSED with a zlib header); small sections stay as they are.
cp shapes "$OUT/shapes-zlib"
objcopy --compress-debug-sections=zlib "$OUT/shapes-zlib"
"$CLANG"++ "${NEUTRAL_CLANG[@]}" -g -gdwarf-5 -O2 -gz=zlib -fuse-ld="$(command -v ld.lld-19)" "${sources[@]}" \
    -Wl,--build-id=sha1 -o "$OUT/shapes-clang-zlib"

# Zstandard instead of zlib; and how binutils packed sections before there was a flag for it (`.zdebug_…`).
llvm-objcopy-19 --compress-debug-sections=zstd shapes "$OUT/shapes-zstd"
objcopy --compress-debug-sections=zlib-gnu shapes "$OUT/shapes-zdebug"

llvm-objcopy-19 --remove-section=.symtab --remove-section=.strtab shapes "$OUT/shapes-dwarf-only"
strip --strip-debug -o "$OUT/shapes-symbols-only" shapes
strip --strip-all -o "$OUT/shapes-stripped" shapes

# The two halves that distributions ship: the program, and a file beside it that its debug link names.
objcopy --only-keep-debug shapes "$OUT/shapes-linked.debug"
strip --strip-all -o "$OUT/shapes-linked" shapes
(cd "$OUT" && objcopy --add-gnu-debuglink=shapes-linked.debug shapes-linked)

expect_functions shapes "$OUT/shapes-clang-zlib"
mv shapes.expected.tsv "$OUT/shapes.expected.tsv"
record_versions g++ "$CLANG"++ ld.lld-19 objcopy llvm-objcopy-19 "$LLVM_SYMBOLIZER"
