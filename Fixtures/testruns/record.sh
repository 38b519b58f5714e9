#!/bin/sh
# Runs the tests of `greeter`, which fail in every way that the readers of test runners' output know, and keeps what the tools write: console text (swift test of
# Swift 6.3.1), the streams of events of both versions, and the JUnit file. Folders of this machine become /src/greeter.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/greeter" "$work/greeter"
cd "$work/greeter"
export SWIFT_BACKTRACE=enable=no
swift build --build-tests >/dev/null
swift test --skip-build --xunit-output junit.xml --event-stream-output-path 0.jsonl --event-stream-version 0 >console.txt 2>/dev/null || true
swift test --skip-build --event-stream-output-path 6.3.jsonl --event-stream-version 6.3 >/dev/null 2>&1 || true
sed "s|$work|/src|g" console.txt >"$here/swift-console.txt"
sed "s|$(echo "$work" | sed 's|/|\\\\/|g')|\\\\/src|g" 0.jsonl >"$here/swift-events-0.jsonl"
sed "s|$(echo "$work" | sed 's|/|\\\\/|g')|\\\\/src|g" 6.3.jsonl >"$here/swift-events-6.3.jsonl"
cp junit-swift-testing.xml "$here/swift-testing-junit.xml"
swift test --skip-build --parallel --xunit-output parallel.xml >/dev/null 2>&1 || true
cp parallel.xml "$here/xctest-junit.xml"
cp "$here/greeter-crash.swift" Tests/GreeterTests/CrashTests.swift
swift build --build-tests >/dev/null
SWIFT_BACKTRACE=enable=yes,color=no swift test --skip-build --filter CrashTests >crash.txt 2>&1 || true
toolchain=$(dirname "$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")")
sed -e "s|$work|/src|g" -e "s|$toolchain|/swift|g" crash.txt >"$here/swift-crash.txt"
