#!/bin/bash
# A Mach-O program without a dSYM: its symbol table says in which object files its DWARF is, one of them in a static library.
. "$(dirname "$0")/../../tools/environment.sh"

# The linker puts functions where this list says: no function keeps the place among others that it has in its object file.
cat >order.txt <<END
_pool_level
_main
_meter_read
END

# build ARCHITECTURE DWARF-VERSION
build() {
    local folder=$1 arch=$1
    mkdir -p "$folder"
    for source in main meter pool; do
        "$CLANG" -target "$arch-apple-macos12" -g "-gdwarf-$2" -O2 "${NEUTRAL_CLANG[@]}" -c "$source.c" -o "$folder/$source.o"
    done
    # Names as Apple's `ar` writes them (`#1/20`).
    (cd "$folder" && llvm-ar-19 --format=darwin rcD libpool.a pool.o)
    rm "$folder/pool.o"
    # Relative paths in the debug map, and times of zero: this linker records none.
    ld64.lld-19 -arch "$arch" -platform_version macos 12.0 12.0 -undefined dynamic_lookup -dead_strip -order_file order.txt \
        -oso_prefix "$SCRATCH/$arch/" -e _main -o "$folder/meter" "$folder/main.o" "$folder/meter.o" "$folder/libpool.a"
    # What dsymutil makes of it: the same answers.
    (cd "$folder" && make_dsym meter linked.dSYM)
    cp -r "$folder" "$OUT/$folder"
}

build arm64 5
build x86_64 4

for arch in arm64 x86_64; do
    python3 "$TOOLS_DIR/expect_functions.py" --macho "$OUT/$arch/meter" "$OUT/$arch/linked.dSYM/Contents/Resources/DWARF/meter" "$arch"
done
record_versions "$CLANG" ld64.lld-19 llvm-ar-19 dsymutil-19 "$LLVM_SYMBOLIZER"
