#!/usr/bin/env python3
"""Makes the lists of addresses in Fixtures/logs/address-list, and what llvm-symbolizer says of each.

    address_lists.py FIXTURES

The places are arithmetic over `llvm-nm -S` of binaries/Functions/out/nested, whose first byte is mapped at 0x400000 (`llvm-readelf -l`)."""
import subprocess
import sys
from pathlib import Path

fixtures = Path(sys.argv[1])
program = fixtures / "binaries/Functions/out/nested"
folder = fixtures / "logs/address-list/nested"
BASE = 0x400000

symbols = {}
for line in subprocess.run(["llvm-nm-19", "-S", program], capture_output=True, text=True, check=True).stdout.splitlines():
    fields = line.split()
    if len(fields) == 4 and fields[2] in "tT":
        symbols[fields[3]] = (int(fields[0], 16), int(fields[1], 16))

places = [(name, offset) for name in ("weigh", "basket.1", "stall.0", "market") for offset in (0, 5)]
addresses = [symbols[name][0] + offset for name, offset in places]


def write(name, text):
    (folder / name).write_text(text)


write("hexadecimal.txt", "".join(f"0x{address:x}\n" for address in addresses))
write("padded.txt", "".join(f"{address:016x}\r\n" for address in addresses))
write("decimal.txt", "(" + ", ".join(str(address) for address in addresses) + ")\n")
write("numbered.txt", "".join(f"#{index}  0x{address:x}\n" for index, address in enumerate(addresses)))
write("functions.txt", "".join(f"{name}+0x{offset:x}\n" for name, offset in places))
write("sizes.txt", "".join(f"  {name}+0x{offset:x}/0x{symbols[name][1]:x}\n" for name, offset in places))
write("files.txt", "".join(f"nested+0x{address - BASE:x}\n" for address in addresses))
write("paths.txt", "".join(f"/opt/bin/nested+{address - BASE}\n" for address in addresses))

rows = ["place\tfunction\toffset\tfile\tline"]
for (name, offset), address in zip(places, addresses):
    output = subprocess.run(
        ["llvm-symbolizer", "--no-inlines", "--functions=linkage", f"--obj={program}", hex(address)], capture_output=True, text=True, check=True)
    function, place = output.stdout.splitlines()[:2]
    file, line, _ = place.rsplit(":", 2)
    rows.append(f"{name}+{offset}\t{function}\t{offset}\t{file}\t{line}")
write("expected-answers.tsv", "\n".join(rows) + "\n")
