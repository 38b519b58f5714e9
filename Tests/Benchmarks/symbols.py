"""Reads an object's function symbols, through `readelf`."""

import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple


class Symbol(NamedTuple):
    start: int
    size: int  # bytes; 0 unknown
    name: str


@cache
def functions(path: Path) -> list[Symbol]:
    """The defined `FUNC` and `IFUNC` symbols, in the table's order."""
    listing = subprocess.run(["readelf", "--symbols", "--wide", path], capture_output=True, text=True, errors="replace", check=True)
    found = []
    for line in listing.stdout.splitlines():
        # "   123: 0000000000252fd0    47 FUNC    LOCAL  DEFAULT   13 name"; a size from 100,000 on is hexadecimal.
        columns = line.split()
        if len(columns) >= 8 and columns[3] in ("FUNC", "IFUNC") and columns[6] not in ("UND", "ABS"):
            found.append(Symbol(int(columns[1], 16), int(columns[2], 0), columns[7]))
    return found


@cache
def starts(path: Path) -> dict[str, set[int]]:
    """Name, with and without its suffix → where functions of that name start."""
    found = defaultdict(set)
    for symbol in functions(path):
        found[symbol.name].add(symbol.start)
        found[stem(symbol.name)].add(symbol.start)
    return found


def stem(name: str) -> str:
    """The name without what GCC, clang and the symbol table append: `name.part.0.cold`, `name@@GLIBC_2.2.5`."""
    return re.split(r"[.@]", name, maxsplit=1)[0] or name
