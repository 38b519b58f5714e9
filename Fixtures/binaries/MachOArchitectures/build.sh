#!/bin/bash
# The C file of the case Freestanding as Mach-O object files, for the machines that Apple's devices had.
. "$(dirname "$0")/../../tools/environment.sh"

cp "$FIXTURES_DIR/binaries/Freestanding/machine.c" .

# build ARCHITECTURE TARGET OPTION...
build() {
    "$CLANG" -target "$2" "${NEUTRAL_CLANG[@]}" -g -O2 -ffreestanding "${@:3}" -c machine.c -o "$OUT/machine-$1.o"
}

build arm64e arm64e-apple-ios15 -gdwarf-5
build arm64_32 arm64_32-apple-watchos8 -gdwarf-5
build armv7 armv7-apple-ios9 -gdwarf-4
build armv7k armv7k-apple-watchos5 -gdwarf-4
build i386 i386-apple-macos10.13 -gdwarf-4
build x86_64h x86_64h-apple-macos12 -gdwarf-5

# No compiler here makes PowerPC code for a Mac any more: a program of the year 2005, described by hand.
yaml2obj-19 ppc.yaml -o "$OUT/tiny-ppc"

record_versions "$CLANG" yaml2obj-19
