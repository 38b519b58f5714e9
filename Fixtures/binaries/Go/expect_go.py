"""Prints what other tools say of the unstripped program, for the first, a middle and the last byte of every function of the package main, and of every 16th other.

Usage: expect_go.py GO FILE TOOLS

`go tool addr2line` reads the same table by Go's own debug/gosym: function, file and line; llvm-symbolizer reads the DWARF: `chain`, the functions innermost first,
as `name file:line` separated by `; `.
"""

import subprocess
import sys

go, path, tools = sys.argv[1:]
sys.path.insert(0, tools)
import symbolizer  # noqa: E402

symbolizer.check_version()
rows = []
for line in symbolizer.run(go, "tool", "nm", "-n", "-size", path).splitlines():
    # ADDRESS SIZE KIND NAME
    cells = line.split(None, 3)
    if len(cells) == 4 and cells[2] in "tT" and 0 < int(cells[1]) < 1 << 20:
        rows.append((int(cells[0], 16), int(cells[1]), cells[3]))
rows = [row for index, row in enumerate(rows) if row[2].startswith("main.") or index % 16 == 0]
addresses = sorted({address for start, size, _ in rows for address in (start, start + size // 2, start + size - 1)})
asked = "".join(f"{address:#x}\n" for address in addresses)
said = subprocess.run([go, "tool", "addr2line", path], input=asked, check=True, capture_output=True, text=True).stdout.splitlines()
chains = symbolizer.answers(path, addresses)
print("address\tfunction\tfile\tline\tchain")
for index, address in enumerate(addresses):
    name, place = said[2 * index : 2 * index + 2]
    file, line = place.rsplit(":", 1)
    chain = "; ".join(f"{f['FunctionName']} {f['FileName'].removeprefix('./')}:{f['Line']}" for f in chains[index])
    print(f"{address:#x}\t{name}\t{file}\t{line}\t{chain}")
