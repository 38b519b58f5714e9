#!/bin/bash
# Builds out/SwiftCrash (-Onone) and out/SwiftCrash-O (-O), lets both crash, and keeps what was said.
. "$(dirname "$0")/../../tools/environment.sh"

sources=("$SCRATCH/Warehouse.swift" "$SCRATCH/main.swift")
build_swift SwiftCrash -Onone -module-name SwiftCrash "${sources[@]}"
# The backtracer follows frame pointers; without them an optimized program's trace has one frame.
build_swift SwiftCrash-O -O -Xcc -fno-omit-frame-pointer -Xcc -mno-omit-leaf-frame-pointer -dwarf-version=5 \
    -module-name SwiftCrash "${sources[@]}"
# What is left where debug information is not shipped: Swift names without lines.
strip --strip-debug -o "$OUT/SwiftCrash-symbols-only" "$OUT/SwiftCrash"

for way in index unwrap inlined; do
    for name in SwiftCrash SwiftCrash-O; do
        python3 "$TOOLS_DIR/swift_logs.py" "$OUT/$name" "$SWIFT_RUNTIME" "$LOGS_DIR" "$name-$way" "$way"
    done
done
expect_functions "$OUT/SwiftCrash" "$OUT/SwiftCrash-O"
record_versions "$SWIFTC" "$LLVM_SYMBOLIZER"
