"""Writes FILE.expected.tsv: llvm-symbolizer's answers for the first, a middle and the last byte of every function.

Usage: expect_functions.py FILE...                 ELF files with a symbol table
       expect_functions.py --macho FILE DWARF ARCH  a slice of a Mach-O file, and its DWARF

The addresses are link addresses and looked up as they are. (A Mach-O function's last byte may be padding.)
"""

import re
import sys

import symbolizer


def functions(path):
    """(address, size) of the functions in the symbol table, sorted."""
    found = set()
    text = symbolizer.run("llvm-readelf-19", "--file-header", "--symbols", "--wide", path)
    # Bit 0 of a function's symbol on 32-bit ARM says "Thumb code"; it is no part of the address.
    mask = ~1 if "Machine:                           ARM\n" in text else ~0
    for line in text.splitlines():
        # Num: Value Size Type Bind Vis Ndx Name
        cells = line.split()
        if len(cells) >= 8 and cells[3] == "FUNC" and cells[6] != "UND" and int(cells[2], 0) > 0:
            found.add((int(cells[1], 16) & mask, int(cells[2], 0)))
    return sorted(found)


def macho_functions(path, arch):
    """(address, size) from the table of function starts; a last function ends with __text."""
    flags = ["--macho", f"--arch={arch}"]
    listed = symbolizer.run("llvm-objdump-19", *flags, "--function-starts", path)
    starts = [int(line, 16) for line in re.findall(r"^([0-9a-f]{16})$", listed, re.M)]
    headers = symbolizer.run("llvm-objdump-19", *flags, "--private-headers", path)
    text = re.search(r"sectname __text\n\s+segname __TEXT\n\s+addr (0x[0-9a-f]+)\n\s+size (0x[0-9a-f]+)", headers)
    return [(a, b - a) for a, b in zip(starts, starts[1:] + [int(text[1], 16) + int(text[2], 16)])]


def write(found, object_path, arch, table):
    rows = []
    for start, size in found:
        for address in sorted({start, start + size // 2, start + size - 1}):
            rows.append({"address": hex(address), "link": address})
    symbolizer.write_expected(table, object_path, rows, arch)


def main(*arguments):
    symbolizer.check_version()
    if arguments[0] == "--macho":
        path, dwarf, arch = arguments[1:]
        table = path if path.endswith(arch) else f"{path}.{arch}"
        write(macho_functions(path, arch), dwarf, arch, table + ".expected.tsv")
    else:
        for path in arguments:
            write(functions(path), path, None, path + ".expected.tsv")


main(*sys.argv[1:])
