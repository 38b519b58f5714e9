#!/bin/sh
# Records what `go test` (1.19), pytest (7.2) and `cargo test` (1.95) print of `shop`: record-shop.sh, in a folder of its own below /tmp, whose path becomes /src/shop.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d /tmp/shop.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp -r "$here/shop/." "$work"
cd "$work"
record() {
    name=$1
    shift
    { "$@" 2>&1 || true; } | sed "s|$work|/src/shop|g" >"$here/$name"
}
record go-test.txt go test ./...
record go-test-v.txt go test -v ./...
for style in long short line; do
    record "pytest-$style.txt" /usr/bin/python3 -m pytest -p no:cacheprovider --tb=$style tests
done
record pytest-no.txt /usr/bin/python3 -m pytest -q -p no:cacheprovider --tb=no tests
record pytest-native.txt /usr/bin/python3 -m pytest -p no:cacheprovider --tb=native tests
record cargo-test.txt env RUST_BACKTRACE=0 cargo test --quiet --offline -- --test-threads=1
record cargo-test-stacks.txt env RUST_BACKTRACE=1 cargo test --quiet --offline -- --test-threads=1
