#!/bin/bash
# Builds a Swift program whose signal handler walks the stack by gcc's libbacktrace, keeps its debug information apart, and lets it crash with and without it.
. "$(dirname "$0")/../../tools/environment.sh"

built=$SCRATCH/.built
mkdir -p "$built" "$OUT/debug"
library=$(dirname "$(gcc -print-file-name=libbacktrace.a)")
(cd "$built" && "$SWIFTC" -c -g -O -dwarf-version=4 "${NEUTRAL_SWIFT[@]}" -I "$SCRATCH" -module-name App "$SCRATCH/Backtrace.swift" "$SCRATCH/main.swift")
# Linked at a fixed address: the format does not tell where a program was loaded.
"$SWIFTC" "$built"/*.o -L "$library" -lbacktrace -no-toolchain-stdlib-rpath -Xclang-linker -no-pie -Xlinker --build-id=sha1 -o "$built/app"
llvm-objcopy-19 --remove-section=.swift_ast "$built/app"
llvm-objcopy-19 --only-keep-debug "$built/app" "$OUT/debug/app.debug"
llvm-strip-19 --strip-all -o "$OUT/app" "$built/app"

logs=$LOGS_DIR/swift-server-backtrace/SwiftServer
rm -rf "$logs"
mkdir -p "$logs"
crash() { (env -i LD_LIBRARY_PATH="$SWIFT_RUNTIME" SWIFT_BACKTRACE=enable=no setarch -R "$1" 2>"$2" || true) 2>/dev/null; }
crash "$OUT/app" "$logs/trace.txt"
crash "$built/app" "$logs/expected-trace.txt"
# A position-independent program: nothing tells where it was.
"$SWIFTC" "$built"/*.o -L "$library" -lbacktrace -no-toolchain-stdlib-rpath -Xlinker --build-id=sha1 -o "$built/pie"
llvm-strip-19 --strip-all "$built/pie"
crash "$built/pie" "$logs/position-independent.txt"
record_versions "$SWIFTC" "$LLVM_SYMBOLIZER"
