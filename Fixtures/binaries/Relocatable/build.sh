#!/bin/bash
# Compiles, and does not link, for every machine whose relocations are known and the compilers can write.
. "$(dirname "$0")/../../tools/environment.sh"

build() {
    "$CLANG" -target "$2" "${NEUTRAL_CLANG[@]}" -g -O1 -ffreestanding -fno-pic -Wno-option-ignored "${@:3}" -c gauge.c -o "$OUT/gauge-$1.o"
}

build i386 i386-unknown-linux-gnu -gdwarf-4
build x86_64 x86_64-unknown-linux-gnu -gdwarf-5
build arm64 aarch64-unknown-linux-gnu -gdwarf-5
build arm64-be aarch64_be-unknown-linux-gnu -gdwarf-4
build armv7 armv7-unknown-linux-gnueabihf -gdwarf-5
build armv7-thumb armv7-unknown-linux-gnueabihf -mthumb -gdwarf-4
# Relaxation: the distance between two labels is not known before the linker, so it is written as additions and subtractions.
build riscv64 riscv64-unknown-linux-gnu -mrelax -gdwarf-5
build riscv32 riscv32-unknown-linux-gnu -mrelax -gdwarf-4
build powerpc64le powerpc64le-unknown-linux-gnu -gdwarf-5
build powerpc64 powerpc64-unknown-linux-gnu -mabi=elfv1 -gdwarf-4
build s390x s390x-unknown-linux-gnu -gdwarf-5
build mips mips-unknown-linux-gnu -gdwarf-4
build mips64 mips64-unknown-linux-gnuabi64 -gdwarf-5
build mips64el mips64el-unknown-linux-gnuabi64 -gdwarf-5
build bpf bpf-unknown-none -gdwarf-5

# Code in two sections that both begin at 0.
build sections x86_64-unknown-linux-gnu -gdwarf-5 -DWITH_INIT
# Every function in a section of its own: an offset means one of several.
build function-sections x86_64-unknown-linux-gnu -gdwarf-5 -ffunction-sections
# Compressed sections wait for relocations too: they are inflated first.
build zlib x86_64-unknown-linux-gnu -gdwarf-5 -gz=zlib
llvm-objcopy-19 --compress-debug-sections=zstd "$OUT/gauge-x86_64.o" "$OUT/gauge-zstd.o"

gcc "${NEUTRAL[@]}" -g -gdwarf-5 -O1 -c gauge.c -o "$OUT/gauge-gcc.o"
# Each type has a section `.debug_info` (DWARF 5) or `.debug_types` (DWARF 4) of its own.
g++ "${NEUTRAL[@]}" -g -gdwarf-5 -O1 -fdebug-types-section -c shelf.cpp -o "$OUT/shelf-types.o"
g++ "${NEUTRAL[@]}" -g -gdwarf-4 -O1 -fdebug-types-section -c shelf.cpp -o "$OUT/shelf-types-dwarf4.o"

# What llvm-symbolizer cannot answer right for the file itself, it is asked about one that is linked with `.text` at 0 too.
linked() {
    ld.lld-19 -e 0 -Ttext=0 --unresolved-symbols=ignore-all "$OUT/$1.o" -o "$OUT/$1-at-zero"
}
# It looks for functions by address alone, and `prepare` has the addresses of `run`.
linked gauge-sections
# It reads one `.debug_info`.
linked shelf-types

record_versions "$CLANG" llvm-objcopy-19 ld.lld-19 gcc g++ "$LLVM_SYMBOLIZER"
