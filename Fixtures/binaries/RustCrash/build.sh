#!/bin/bash
# A Rust program that calls C, which calls it back; its logs as it prints them itself, with its debug information and without.
. "$(dirname "$0")/../../tools/environment.sh"

gcc -g -O1 -funwind-tables -fPIC -shared "-ffile-prefix-map=$SCRATCH=/src" -Wl,--build-id=sha1 pump.c -o libpump.so
# build NAME ARGUMENT...
build() {
    rustc --edition 2021 -g -C opt-level=1 "--remap-path-prefix=$SCRATCH=/src" -L . -l pump -C link-arg=-Wl,--build-id=sha1 -C link-arg=-Wl,-rpath,\$ORIGIN \
        "${@:2}" main.rs -o "$1"
}
build tank -C relocation-model=static -C link-arg=-no-pie
build tank-pie
folder=/srv/cairn-fixtures
logs=$LOGS_DIR/rust-panic/RustCrash
rm -rf "$logs" && mkdir -p "$logs"
# crash LOG PROGRAM RUST_BACKTRACE [ARGUMENT]: PROGRAM and the library as they lie in the folder.
crash() {
    (cd $folder && env -i RUST_BACKTRACE="$3" setarch -R "./$2" ${4:+"$4"}) 2>&1 | sed 's/^\(thread .main.\) ([0-9]*)/\1 (1234)/' >"$logs/$1" || true
}
rm -rf $folder && mkdir -p $folder
cp tank tank-pie libpump.so $folder
crash full-itself.txt tank full
crash short-itself.txt tank 1
crash pie-itself.txt tank-pie full
crash printed-itself.txt tank full print
crash debug-itself.txt tank 1 debug
for name in tank tank-pie libpump.so; do strip -o $folder/$name $name; done
crash full-stripped.txt tank full
crash pie-stripped.txt tank-pie full
crash printed-stripped.txt tank full print
rm -rf $folder
# What the standard library's rows need is most of it.
objcopy --only-keep-debug --compress-debug-sections=zlib tank "$OUT/tank.debug"
objcopy --only-keep-debug libpump.so "$OUT/libpump.so.debug"
record_versions rustc gcc objcopy
