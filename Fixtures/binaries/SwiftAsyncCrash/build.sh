#!/bin/bash
# Builds out/SwiftAsyncCrash, lets it crash inside a task, and keeps what was said.
. "$(dirname "$0")/../../tools/environment.sh"

build_swift SwiftAsyncCrash -Onone -module-name SwiftAsyncCrash -parse-as-library "$SCRATCH/Courier.swift"
python3 "$TOOLS_DIR/swift_logs.py" "$OUT/SwiftAsyncCrash" "$SWIFT_RUNTIME" "$LOGS_DIR" SwiftAsyncCrash
expect_functions "$OUT/SwiftAsyncCrash"
record_versions "$SWIFTC" "$LLVM_SYMBOLIZER"
