#!/bin/bash
# Makes the PE images with the clang and the ld.lld of the Swift toolchain.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
source=../../../Tests/Crashes/windows/shapes.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build() {
    clang -target "$2-w64-mingw32" -O1 -std=gnu11 -fno-builtin "-ffile-prefix-map=$work=." -fdebug-compilation-dir=. "${@:5}" \
        -c "$work/source.c" -o "$work/$1.o"
    ld.lld -m "$3" --build-id -Xlink=/timestamp:1269412508 "$work/$1.o" -e "$4" -o "$1"
}
cp "$source" "$work/source.c"
build functions-x86_64 x86_64 i386pep start
build functions-arm64 aarch64 arm64pe start
build signed-arm64 aarch64 arm64pe start -mbranch-protection=pac-ret
cat > "$work/source.c" <<'C'
int number = 5;
__attribute__((noinline)) static int hidden(int a) { return a * number; }
__attribute__((noinline)) int eight_by(int a) { return hidden(a) + hidden(a + 1); }
__attribute__((noinline)) int a_name_in_the_string_table(int a) { return eight_by(a) * 2; }
int start(void) { return a_name_in_the_string_table(number); }
C
build debug-i386 i686 i386pe _start -g
build debug-thumb thumbv7 thumb2pe start -g
# Objects, with a section for each function.
for machine in x86_64 thumbv7; do
    clang -target $machine-w64-mingw32 -O1 -std=gnu11 -g -ffunction-sections "-ffile-prefix-map=$work=." -fdebug-compilation-dir=. \
        -c "$work/source.c" -o "object-$machine"
done
