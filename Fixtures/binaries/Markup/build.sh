#!/bin/bash
# Builds a program and a shared library that print their stack as symbolizer markup, takes their debug information into files of their own, and asks llvm-symbolizer's filter about the log.
. "$(dirname "$0")/../../tools/environment.sh"

"$CLANG" "${NEUTRAL_CLANG[@]}" -g -O1 -fno-omit-frame-pointer -fPIC -shared -Wl,--build-id=sha1 -Wl,-soname,libmarkup.so shared.c -o libmarkup.so
"$CLANG" "${NEUTRAL_CLANG[@]}" -g -O1 -fno-omit-frame-pointer -fPIE -pie -Wl,--build-id=sha1 -Wl,-rpath,'$ORIGIN' markup.c libmarkup.so -o markup

mkdir -p "$LOGS_DIR/symbolizer-markup/Markup" debug
./markup | sed "s|$SCRATCH/||; s|\./libmarkup|libmarkup|" > "$LOGS_DIR/symbolizer-markup/Markup/stdout.log"
for file in markup libmarkup.so; do
    id=$(readelf -n $file | sed -n 's/.*Build ID: //p')
    mkdir -p "debug/.build-id/${id:0:2}"
    cp $file "debug/.build-id/${id:0:2}/${id:2}.debug"
    objcopy --only-keep-debug $file "$OUT/$file.debug"
    strip --strip-all $file -o "$OUT/$file"
done
"$LLVM_SYMBOLIZER" --filter-markup --no-demangle --debug-file-directory="$SCRATCH/debug" < "$LOGS_DIR/symbolizer-markup/Markup/stdout.log" \
    | sed 's/\x1b\[[0-9;]*m//g' > "$LOGS_DIR/symbolizer-markup/Markup/expected-filter.txt"

# The same places as Zircon's crash service wrote them before there was markup: the modules at addresses of our own.
log=$LOGS_DIR/symbolizer-markup/Markup/stdout.log
crash=$LOGS_DIR/fuchsia-crash/Markup/crash.log
mkdir -p "$(dirname "$crash")"
python3 - "$log" > "$crash" << 'END'
import re, sys
text = open(sys.argv[1]).read()
ids = {name: (int(number), build) for number, name, build in re.findall(r"module:(\d+):([^:]*):elf:(\w+)", text)}
starts = {}
for start, size, number in re.findall(r"mmap:(0x\w+):(0x\w+):load:(\d+)", text):
    starts.setdefault(int(number), int(start, 16))
bases = {"markup": 0x1000000, "libmarkup.so": 0x77ed61600000}
print("[00131.346] 01102.01116> <== fatal exception: process /pkg/bin/markup[31717] thread initial-thread[61384]")
rows, modules = [], []
for name, base in bases.items():
    modules.append(f"[00131.375] 01102.01116> dso: id={ids[name][1]} base={base:#x} name={'app:/pkg/bin/' if name == 'markup' else ''}{name}")
for address in re.findall(r"bt:\d+:(0x\w+):", text):
    for name, base in bases.items():
        offset = int(address, 16) - starts[ids[name][0]]
        if 0 <= offset < 0x1000:
            shown = "app:/pkg/bin/markup" if name == "markup" else name
            rows.append(f"[00131.375] 01102.01116> bt#{len(rows) + 1:02}: pc {base + offset:#x} sp {0x6ef13e3cf6b8 + 16 * len(rows):#x} ({shown},{offset:#x})")
pc = re.search(r"pc (\w+)", rows[0])[1]
print(f"[00131.346] 01102.01116> <== fatal page fault, PC at {pc}")
print("[00131.346] 01102.01116>  CS:                   0 RIP:      %s EFL:            0x10246 CR2:                0x8" % pc)
print("[00131.346] 01102.01116> arch: x86_64")
print("\n".join(modules + rows))
print(f"[00131.375] 01102.01116> bt#{len(rows) + 1:02}: end")
END
record_versions "$CLANG" ld "$LLVM_SYMBOLIZER"
