"""Writes Fixtures/binaries/INDEX.tsv: every committed object file, a row for each slice. Usage: index.py BINARIES

Columns: path (from BINARIES), kind, arch, dwarf (versions, or none), symtab (yes or no), id (build ID or UUID), producer.
"""

import os
import re
import sys

from symbolizer import run

ELF, MACHO = b"\x7fELF", (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf")


def producers_and_versions(path, arch):
    text = run("llvm-dwarfdump-19", "--debug-info", "--recurse-depth=0", *([f"--arch={arch}"] if arch else []), path)
    versions = sorted(set(re.findall(r"version = 0x000(\d)", text)))
    producers = sorted(set(re.findall(r'DW_AT_producer\s+\("(.*)"\)', text)))
    return ",".join(versions) or "none", " | ".join(producers)


def elf_row(path):
    text = run("llvm-readelf-19", "--file-header", "--notes", "--sections", "--wide", path)
    kind = re.search(r"Type:\s+(\w+)", text)[1]
    names = {"REL": "elf-relocatable", "EXEC": "elf-executable", "DYN": "elf-shared"}
    if kind == "DYN" and " .interp " in text:
        names["DYN"] = "elf-executable"
    machine = re.search(r"Machine:\s+(.*)", text)[1].strip()
    bits = re.search(r"Class:\s+ELF(\d+)", text)[1]
    order = "BE" if "big endian" in text else "LE"
    identity = re.search(r"Build ID: ([0-9a-f]+)", text)
    versions, producers = producers_and_versions(path, None)
    symtab = "yes" if re.search(r"\bSYMTAB\b", text) else "no"
    return [[names[kind], f"{machine} {bits}{order}", versions, symtab, identity[1] if identity else "", producers]]


def macho_rows(path):
    rows = []
    for arch in run("llvm-lipo-19", "-archs", path).split():
        headers = run("llvm-objdump-19", "--macho", "--private-headers", f"--arch={arch}", path)
        kind = next(k for k in ("DSYM", "DYLIB", "OBJECT", "EXECUTE") if re.search(rf"\b{k}\b", headers))
        identity = re.search(r"uuid ([0-9A-F-]{36})", headers)
        versions, producers = producers_and_versions(path, arch)
        symtab = "yes" if "LC_SYMTAB" in headers else "no"
        rows.append([f"macho-{kind.lower()}", arch, versions, symtab, identity[1] if identity else "", producers])
    return rows


def main(binaries):
    rows = []
    for directory, _, files in os.walk(binaries):
        for name in files:
            path = os.path.join(directory, name)
            with open(path, "rb") as file:
                magic = file.read(4)
            if magic == ELF:
                found = elf_row(path)
            elif magic in MACHO:
                found = macho_rows(path)
            else:
                continue
            rows += [[os.path.relpath(path, binaries), *row] for row in found]
    with open(os.path.join(binaries, "INDEX.tsv"), "w", encoding="utf-8") as file:
        file.write("path\tkind\tarch\tdwarf\tsymtab\tid\tproducer\n")
        for row in sorted(rows):
            file.write("\t".join(row) + "\n")


main(sys.argv[1])
