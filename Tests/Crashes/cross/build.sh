#!/usr/bin/env bash
# Builds ../programs/crash.c for other machines, runs each crash under qemu-user, and leaves program and logs here, so that the tests need neither compilers nor emulators. Run it again after a change of crash.c.
# Debian: qemu-user, gcc-aarch64-linux-gnu, gcc-riscv64-linux-gnu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
here=$PWD
programs=$(cd ../programs && pwd)

for needed in aarch64-linux-gnu-gcc riscv64-linux-gnu-gcc qemu-aarch64 qemu-riscv64; do
    command -v "$needed" >/dev/null || { echo "build.sh: no $needed in PATH: expected Debian's qemu-user, gcc-aarch64-linux-gnu and gcc-riscv64-linux-gnu" >&2 && exit 1; }
done
flags=(-g -O2 -fPIE -pie -fasynchronous-unwind-tables -fno-optimize-sibling-calls -fno-toplevel-reorder -fno-reorder-functions -falign-functions=1)
flags+=("-Wl,--build-id=none" "-ffile-prefix-map=$programs=/src" -fno-record-gcc-switches)
# machine, GNU's name, cases without those whose stack the machine's libc ends
while read -r machine triple cases; do
    mkdir -p "$machine"
    (cd "$programs" && "$triple-gcc" "${flags[@]}" crash.c -o "$here/$machine/a")
    for case in $cases; do
        # It ends with 1, as its handler does.
        (cd "$machine" && "qemu-${triple%%-*}" -L "/usr/$triple" ./a - "$case" 2>"$case.txt") || true
    done
done <<'CASES'
arm64 aarch64-linux-gnu middle inlined after-call first-instruction behind-noreturn noreturn-at-end abort nested
riscv64 riscv64-linux-gnu middle inlined after-call first-instruction behind-noreturn nested
CASES
