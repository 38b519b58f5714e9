"""Writes what other tools say about the places of a kernel log: kernel_places.py LOG IMAGE FILE > expected.tsv

IMAGE is `vmlinux`, or a module's name as the log has it in brackets; FILE is its object file. For each place `name+0xOFFSET/0xSIZE` of the log's rows: the symbol is looked up with
`nm` (or readelf, which tells sections), of several the one whose distance to the next symbol is SIZE, or that is its section's last;
none where two have that size. The address is the symbol's and OFFSET, less one
but for the lines of program counters (RIP:). vmlinux is asked with llvm-symbolizer ($LLVM_SYMBOLIZER), modules with GNU addr2line, section by section.

Columns: place, how it was looked up (`pc` or `ra-1`), and `function file:line` for each function, innermost first, `|` between them.
"""

import os
import re
import subprocess
import sys

PLACE = re.compile(r"([A-Za-z_][\w.$]*)\+0x([0-9a-f]+)/0x([0-9a-f]+)(?: \[(\w+)[^]]*\])?")


def places(log, image):
    found = {}
    for line in open(log, encoding="utf-8", errors="replace"):
        if "WARNING:" in line:
            continue
        for name, offset, size, module in PLACE.findall(line):
            if (module or "vmlinux") == image:
                kind = "pc" if "RIP:" in line or int(offset, 16) == 0 else "ra-1"
                found[f"{name}+0x{offset}/0x{size}"] = (name, int(offset, 16), int(size, 16), kind)
    return found


def symbols(path):
    """(section, address, name), sorted."""
    text = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, check=True).stdout
    rows = []
    for line in text.splitlines():
        cells = line.split()
        if len(cells) == 8 and cells[0].endswith(":") and cells[3] not in ("FILE", "SECTION") and cells[6].isdigit():
            rows.append((int(cells[6]), int(cells[1], 16), cells[7]))
    return sorted(rows)


def start(table, name, size):
    """The section and address of the function, told by its size."""
    exact, last = [], []
    for section, address, other in table:
        if other == name:
            later = [row[1] for row in table if row[0] == section and row[1] > address]
            if later and min(later) - address == size:
                exact.append((section, address))
            if not later:
                last.append((section, address))
    fitting = exact or last
    return fitting[0] if len(fitting) == 1 else None


def sections(path):
    text = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    return {int(number): name for number, name in re.findall(r"\[ *(\d+)\] (\S+)", text)}


def llvm(path, address):
    done = subprocess.run([os.environ["LLVM_SYMBOLIZER"], "--obj=" + path, "--no-demangle", hex(address)], capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    return [(lines[i], ":".join(lines[i + 1].split(":")[:-1])) for i in range(0, len(lines) - 1, 2)]


def gnu(path, section, address):
    done = subprocess.run(["addr2line", "-f", "-i", "-j", section, "-e", path, hex(address)], capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    return [(lines[i], lines[i + 1].split(" (")[0]) for i in range(0, len(lines) - 1, 2)]


def main(log, image, path):
    table = symbols(path)
    names = sections(path)
    print("place\tlookup\tfunctions")
    for place, (name, offset, size, kind) in places(log, image).items():
        found = start(table, name, size)
        answer = []
        if found:
            address = found[1] + offset - (kind == "ra-1")
            answer = llvm(path, address) if image == "vmlinux" else gnu(path, names[found[0]], address)
        print(f"{place}\t{kind}\t" + "|".join(f"{function} {where}" for function, where in answer))


main(*sys.argv[1:])
