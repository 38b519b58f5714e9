#!/bin/bash
# Makes small archives with the field's tools, for the fuzzers to begin with.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
long=$(printf 'd%.0s' {1..90})
mkdir -p lib/x86_64 "$long/$long"
printf 'hello hello hello hello\n' >lib/x86_64/text.so
head -c 3000 /dev/zero >lib/x86_64/zeros.so
printf x >"$long/$long/program"
touch -d @1000000000 lib/x86_64/* "$long/$long/program"
out=$here/zip
rm -rf "$out" "$here/tar" && mkdir "$out" "$here/tar"
zip -q -X -0 "$out/stored.zip" lib/x86_64/*
zip -q -X -9 "$out/deflated.zip" lib/x86_64/*
zip -q -fz -9 "$out/zip64.zip" lib/x86_64/*
zip -q -X -P secret "$out/encrypted.zip" lib/x86_64/text.so
# Sizes behind the bytes, because the output cannot be gone back in.
cat lib/x86_64/text.so | zip -q -X - - | cat >"$out/streamed.zip"
(printf 'PK\003\004in front'; cat "$out/stored.zip") >"$out/prefixed.zip"
zip -q -X -j -0 "$out/nested.zip" "$out/deflated.zip"
out=$here/tar
for format in v7 ustar gnu pax; do tar --format=$format --owner=0 --group=0 --numeric-owner -cf "$out/$format.tar" lib; done
for format in gnu pax; do tar --format=$format --owner=0 --group=0 --numeric-owner -cf "$out/long-$format.tar" d*; done
ln lib/x86_64/text.so lib/link.so
tar --format=gnu --owner=0 --group=0 --numeric-owner -cf "$out/link.tar" lib
truncate -s 1M lib/sparse.so && printf x >>lib/sparse.so
tar -S --format=gnu --owner=0 --group=0 --numeric-owner -cf "$out/sparse.tar" lib/sparse.so
tar -S --format=pax --owner=0 --group=0 --numeric-owner -cf "$out/sparse-pax.tar" lib/sparse.so
gzip -n -c "$out/gnu.tar" >"$out/gnu.tar.gz"
xz -c "$out/gnu.tar" >"$out/gnu.tar.xz"
zstd -q -c "$out/gnu.tar" >"$out/gnu.tar.zst"
