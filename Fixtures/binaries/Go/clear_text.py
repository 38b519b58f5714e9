"""Overwrites with zeros what an ELF file's line table does not need: the code, and of the data all but the tables of inlined calls and the runtime's description.

Usage: clear_text.py FILE UNSTRIPPED
"""

import re
import subprocess
import sys

path, unstripped = sys.argv[1:]
sections = subprocess.run(["llvm-readelf-19", "--sections", "--wide", path], check=True, capture_output=True, text=True).stdout
symbols = subprocess.run(["nm", "--numeric-sort", unstripped], check=True, capture_output=True, text=True).stdout
places = [(int(address, 16), name) for address, name in re.findall(r"^([0-9a-f]+) \w (.+)$", symbols, re.MULTILINE)]


def extent(name):
    """From a symbol to the next one at another address."""
    start = next((address for address, other in places if other == name), None)
    return (0, 0) if start is None else (start, next(address for address, _ in places if address > start))


with open(path, "r+b") as file:
    for section, kept in [(".text", None), (".rodata", "go.func.*"), (".noptrdata", "runtime.firstmoduledata")]:
        found = re.search(rf" \{section} +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+) ", sections)
        if not found:
            continue
        address, offset, size = (int(number, 16) for number in found.groups())
        start, end = extent(kept) if kept else (address, address)
        file.seek(offset)
        file.write(bytes(start - address))
        file.seek(offset + end - address)
        file.write(bytes(address + size - end))
