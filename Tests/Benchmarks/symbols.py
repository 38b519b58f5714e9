"""Reads an object's function symbols, through `readelf` where it is an ELF file."""

import re
import subprocess
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import containers


class Symbol(NamedTuple):
    start: int
    size: int  # bytes; 0 unknown
    name: str
    kind: str = "FUNC"  # `readelf`'s word: FUNC, OBJECT, NOTYPE, FILE, ...


def functions(path: Path) -> list[Symbol]:
    """The defined `FUNC` and `IFUNC` symbols, in the table's order."""
    return [symbol for symbol in table(path) if symbol.kind in ("FUNC", "IFUNC")]


@cache
def table(path: Path) -> list[Symbol]:
    """The symbols that have a section, and the `FILE` ones, in the table's order. 32-bit ARM's Thumb bit is cleared."""
    others = containers.functions(path)
    if others is not None:
        return [Symbol(*function) for function in others]
    listing = subprocess.run(
        ["readelf", "--file-header", "--symbols", "--wide", path], capture_output=True, text=True, errors="replace", check=True
    ).stdout.splitlines()
    is_arm = any(re.match(r" +Machine: +ARM$", line) for line in listing)
    found = []
    for line in listing:
        # "   123: 0000000000252fd0    47 FUNC    LOCAL  DEFAULT   13 name"; a size from 100,000 on is hexadecimal. Between visibility and
        # section, some machines write more in brackets: "[<localentry>: 8]".
        columns = re.sub(r"\[[^\]]*\]", "", line).split()
        if len(columns) < 7 or not re.fullmatch(r"\d+:", columns[0]) or columns[3] in ("SECTION", "TLS"):
            continue
        kind, section, name = columns[3], columns[6], columns[7] if len(columns) > 7 else ""
        if kind != "FILE" and section in ("UND", "ABS", "COM"):
            continue
        start = int(columns[1], 16)
        if is_arm and kind in ("FUNC", "IFUNC"):
            start &= ~1
        found.append(Symbol(start, int(columns[2], 0), name, kind))
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
