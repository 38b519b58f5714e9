#!/bin/sh
# Records what test runners print of the projects in Tests/Runners: record-runners.sh, in a folder of its own below /tmp, whose path becomes /src/shop.
# A crash of a runner itself is a part of what is recorded.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
projects=$here/../../Tests/Runners
work=$(mktemp -d /tmp/shop.XXXXXX)
trap 'rm -rf "$work"' EXIT
project() {
    rm -rf "$work"
    cp -r "$projects/$1" "$work"
    cd "$work"
}
record() {
    name=$1
    shift
    { "$@" 2>&1 || true; } | sed "s|$work|/src/shop|g; s|${work#/}|src/shop|g" >"$here/runners/$name"
}
project ctest
cmake -S . -B build && cmake --build build
record ctest.txt ctest --test-dir build --output-on-failure
record ctest-j.txt ctest --test-dir build --output-on-failure -j4 --output-junit junit.xml
record ctest-junit.xml cat build/junit.xml
project ctest-checks
cmake -S . -B build && cmake --build build
record ctest-checks.txt ctest --test-dir build --output-junit junit.xml
record ctest-checks-log.txt cat build/Testing/Temporary/LastTest.log
record ctest-checks-junit.xml cat build/junit.xml
record ctest-checks-V.txt ctest --test-dir build -V -j4
project meson
meson setup build && ninja -C build
record meson.txt meson test -C build
record meson-log.txt sed "/^Inherited environment/d" build/meson-logs/testlog.txt
project automake
autoreconf -i && mkdir build && cd build && ../configure
record automake.txt make check
record automake-log.txt cat test-suite.log
project cargo
cargo test --offline --no-run || true
record nextest.txt cargo nextest run --offline --no-fail-fast
project go
GOFLAGS=-count=1 record go-json.txt go test -json ./...
project pytest-dies
record pytest-dies.txt /usr/bin/python3 -m pytest -p no:cacheprovider
record pytest-dies-v.txt /usr/bin/python3 -m pytest -p no:cacheprovider -v
for name in gtest catch2 doctest boost; do
    project $name
    libraries=
    [ $name != gtest ] || libraries="-lgtest -lgtest_main -lpthread"
    c++ -std=c++17 -g -o tests tests.cpp $libraries
    record $name.txt ./tests
done
project bats
record bats-tap.txt bats .
record bats-pretty.txt bats --formatter pretty .
record bats-terminal.txt script -qc "bats ." /dev/null
project prove
record prove.txt prove
record prove-v.txt prove -v
project node
record node-tap.txt node --test --test-reporter tap
record node-spec.txt node --test --test-reporter spec
project node-script
record node-script.txt node script.mjs
project jest
record jest.txt jest
project xdist
record pytest-xdist.txt /usr/bin/python3 -m pytest -p no:cacheprovider -n 2
