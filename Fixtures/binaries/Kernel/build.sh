#!/bin/bash
# Builds a kernel of four files that nobody runs, linked as x86-64's vmlinux is.
. "$(dirname "$0")/../../tools/environment.sh"

for file in main sched exit; do
    "$CLANG" -target x86_64-unknown-linux-gnu "${NEUTRAL_CLANG[@]}" -g -gdwarf-5 -O1 -ffreestanding -fno-pic -mcmodel=kernel -fno-asynchronous-unwind-tables \
        -falign-functions=16 -c "$file.c" -o "$file.o"
done
ld.lld-19 -nostdlib -e start_kernel --build-id=sha1 -T kernel.lds main.o sched.o exit.o -o "$OUT/vmlinux"

log=$LOGS_DIR/kernel-oops/Kernel
python3 "$TOOLS_DIR/kernel_places.py" "$log/oops.log" vmlinux "$OUT/vmlinux" > "$log/expected-vmlinux.tsv"
record_versions "$CLANG" ld.lld-19 "$LLVM_SYMBOLIZER"
