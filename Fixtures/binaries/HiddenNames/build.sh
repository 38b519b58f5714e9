#!/bin/bash
# One program as it was written (`named`), and as the store gave it back (`hidden`): `__hidden#N_` in the symbol table and in the DWARF, and the map of the names.
. "$(dirname "$0")/../../tools/environment.sh"

target=(-target arm64-apple-ios12)
"$CLANG" "${target[@]}" -g -gdwarf-4 -O2 "${NEUTRAL_CLANG[@]}" -fdebug-compilation-dir=/src/tanks1 "-ffile-prefix-map=$SCRATCH=/src/tanks1" -S tank_app1.c -o named.s

# The number of a name is that of its line in the map; symbols come before names of the source.
cp named.s hidden.s
number=0
while IFS= read -r name; do
    case $name in
    _*) sed -i -E "s~(^|[^A-Za-z0-9_\"])$name([^A-Za-z0-9_]|\$)~\1\"__hidden#${number}_\"\2~g" hidden.s ;;
    *) sed -i "/\\.asciz\|\\.file/s~\"$name\"~\"__hidden#${number}_\"~g" hidden.s ;;
    esac
    number=$((number + 1))
done < <(tail -n +2 tank.bcsymbolmap)

for name in named hidden; do
    "$CLANG" "${target[@]}" -c "$name.s" -o "$name.o"
    ld64.lld-19 -arch arm64 -platform_version ios 12.0 12.0 -undefined dynamic_lookup -e _main \
        -oso_prefix "$SCRATCH/" -o "$name" "$name.o"
    make_dsym "$name" "$name.dSYM"
    cp -r "$name" "$name.dSYM" "$OUT"
done
uuid=$(llvm-objdump-19 --macho --private-headers "$OUT/hidden" | awk '$1 == "uuid" { print $2 }')
cp tank.bcsymbolmap "$OUT/$uuid.bcsymbolmap"
cp tank.bcsymbolmap "$OUT/hidden.dSYM/Contents/Resources/$uuid.bcsymbolmap"

record_versions "$CLANG" ld64.lld-19 dsymutil-19
