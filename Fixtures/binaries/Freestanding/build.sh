#!/bin/bash
# Builds one C file for several machines with clang, linked with ld.lld against nothing.
. "$(dirname "$0")/../../tools/environment.sh"

build() {
    local name=$1 target=$2
    "$CLANG" -target "$target" "${NEUTRAL_CLANG[@]}" -g -O2 -ffreestanding -fno-pic -fasynchronous-unwind-tables \
        "${@:3}" -c machine.c -o "$name.o"
    ld.lld-19 -nostdlib -e start --build-id=sha1 "$name.o" -o "$OUT/$name"
}

build machine-i386 i386-unknown-linux-gnu -gdwarf-4
build machine-armv7-thumb armv7-unknown-linux-gnueabihf -mthumb -gdwarf-5
build machine-aarch64 aarch64-unknown-linux-gnu -gdwarf-5
build machine-aarch64-be aarch64_be-unknown-linux-gnu -gdwarf-4
build machine-riscv64 riscv64-unknown-linux-gnu -gdwarf-5
build machine-powerpc64-be powerpc64-unknown-linux-gnu -mabi=elfv2 -gdwarf-5
build machine-mips-be mips-unknown-linux-gnu -gdwarf-4
build machine-s390x s390x-unknown-linux-gnu -gdwarf-5

expect_functions "$OUT"/machine-*
record_versions "$CLANG" ld.lld-19 "$LLVM_SYMBOLIZER"
