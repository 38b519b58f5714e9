#!/bin/bash
# The sources of the case CXX as a Mach-O program for two machines, and a helper library; dSYM bundles of several shapes.
. "$(dirname "$0")/../../tools/environment.sh"

cp "$FIXTURES_DIR"/binaries/CXX/*.cpp "$FIXTURES_DIR"/binaries/CXX/*.h .

# link ARCH OUTPUT ARGUMENT...
link() {
    ld64.lld-19 -arch "$1" -platform_version macos 12.0 12.0 -undefined dynamic_lookup -oso_prefix "$SCRATCH/" \
        -o "$2" "${@:3}"
}

# arm64 with DWARF 5, x86_64 with DWARF 4.
for pair in arm64:5 x86_64:4; do
    arch=${pair%:*}
    flags=(-target "$arch-apple-macos12" -g "-gdwarf-${pair#*:}" -O2 "${NEUTRAL_CLANG[@]}")
    for source in main shapes; do
        "$CLANG" "${flags[@]}" -c "$source.cpp" -o "$source.$arch.o"
    done
    "$CLANG" "${flags[@]}" -c helper.c -o "helper.$arch.o"
    link "$arch" "shapes.$arch" -e _main "main.$arch.o" "shapes.$arch.o"
    link "$arch" "helper.$arch" -dylib -install_name @rpath/libhelper.dylib "helper.$arch.o"
done

# A thin file for each machine, and a universal one.
cp shapes.arm64 "$OUT/shapes-arm64"
cp shapes.x86_64 "$OUT/shapes-x86_64"
llvm-lipo-19 -create shapes.x86_64 shapes.arm64 -output shapes
llvm-lipo-19 -create helper.x86_64 helper.arm64 -output libhelper.dylib
cp libhelper.dylib "$OUT"

make_dsym shapes "$OUT/shapes.dSYM"
make_dsym libhelper.dylib libhelper.dylib.dSYM
# A bundle may hold the DWARF of several images: the one to read is known by its UUID, not by its name.
cp libhelper.dylib.dSYM/Contents/Resources/DWARF/libhelper.dylib "$OUT/shapes.dSYM/Contents/Resources/DWARF/"

# What a release ships: no local symbols, but the table of function starts.
llvm-strip-19 --strip-all shapes.arm64 -o "$OUT/shapes-arm64-stripped"

dwarf=$OUT/shapes.dSYM/Contents/Resources/DWARF
python3 "$TOOLS_DIR/expect_functions.py" --macho "$OUT/shapes-arm64" "$dwarf/shapes" arm64
python3 "$TOOLS_DIR/expect_functions.py" --macho "$OUT/shapes-x86_64" "$dwarf/shapes" x86_64
python3 "$TOOLS_DIR/expect_functions.py" --macho "$OUT/libhelper.dylib" "$dwarf/libhelper.dylib" arm64
python3 "$TOOLS_DIR/expect_functions.py" --macho "$OUT/libhelper.dylib" "$dwarf/libhelper.dylib" x86_64
record_versions "$CLANG" ld64.lld-19 dsymutil-19 llvm-lipo-19 llvm-strip-19 "$LLVM_SYMBOLIZER"
