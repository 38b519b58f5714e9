#!/bin/bash
# Builds a program and two libraries, strips all three, keeps their debug information apart, and lets them crash under every setting of the backtracer.
. "$(dirname "$0")/../../tools/environment.sh"

# The backtracer follows frame pointers.
frames=(-fno-omit-frame-pointer -mno-omit-leaf-frame-pointer)
built=$SCRATCH/.built
mkdir -p "$built" "$OUT/debug"
cd "$built"
"$CLANG" -g -O2 "${frames[@]}" "${NEUTRAL_CLANG[@]}" -fPIC -shared -Wl,--build-id=sha1 -Wl,-soname,libwinch.so \
    "$SCRATCH/winch.c" -o libwinch.so
"$SWIFTC" -c -g -O -wmo -dwarf-version=5 "${NEUTRAL_SWIFT[@]}" -Xcc "${frames[0]}" -Xcc "${frames[1]}" -I "$SCRATCH" -parse-as-library \
    -module-name Quay -emit-module -emit-module-path "$built/Quay.swiftmodule" "$SCRATCH/Quay.swift" -o Quay.o
"$SWIFTC" -emit-library Quay.o -L . -lwinch -no-toolchain-stdlib-rpath -Xlinker --build-id=sha1 -Xlinker -soname -Xlinker libquay.so -o libquay.so
"$SWIFTC" -c -g -Onone "${NEUTRAL_SWIFT[@]}" -I "$SCRATCH" -I "$built" -module-name ferry "$SCRATCH/main.swift" -o main.o
"$SWIFTC" main.o -L . -lquay -lwinch -no-toolchain-stdlib-rpath -Xlinker --build-id=sha1 -o ferry
for name in ferry libquay.so libwinch.so; do
    # The serialized module is for debuggers only.
    llvm-objcopy-19 --remove-section=.swift_ast "$name"
    llvm-objcopy-19 --only-keep-debug "$name" "$OUT/debug/$name.debug"
    llvm-strip-19 --strip-all -o "$OUT/$name" "$name"
done

python3 "$TOOLS_DIR/swift_presets.py" "$built" "$OUT" "$SWIFT_RUNTIME" "$LOGS_DIR"
python3 "$TOOLS_DIR/unreal_logs.py" "$LOGS_DIR"
record_versions "$SWIFTC" "$CLANG" "$LLVM_SYMBOLIZER"
