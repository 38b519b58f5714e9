"""Reads where the functions of PE files and WebAssembly modules are; `readelf` does not read either."""

import struct
import subprocess
from pathlib import Path
from typing import Iterator

SECTION_CODE = 10
"""WebAssembly's section of function bodies."""


def functions(path: Path) -> list[tuple[int, int, str]] | None:
    """Start, size in bytes and name; `None` where the file is neither. A module's functions have no name here."""
    data = path.read_bytes()
    if data.startswith(b"MZ"):
        return list(of_pe(path, data))
    if data.startswith(b"\0asm"):
        return list(of_module(data))
    return None


def of_pe(path: Path, data: bytes) -> Iterator[tuple[int, int, str]]:
    """The extents of `.pdata` (RUNTIME_FUNCTION of x86-64: begin, end, unwind data), the names of the symbol table."""
    listing = subprocess.run(["x86_64-w64-mingw32-nm", path], capture_output=True, text=True, errors="replace", check=True).stdout
    rows = [line.split(maxsplit=2) for line in listing.splitlines()]
    names = {int(row[0], 16): row[2] for row in rows if len(row) == 3 and row[1] in "tT"}
    header = struct.unpack_from("<I", data, 0x3C)[0]
    count, optional = struct.unpack_from("<H", data, header + 6)[0], struct.unpack_from("<H", data, header + 20)[0]
    base = struct.unpack_from("<Q", data, header + 24 + 24)[0]
    for index in range(count):
        name, size, _, raw_size, raw = struct.unpack_from("<8sIIII", data, header + 24 + optional + 40 * index)
        if name.rstrip(b"\0") == b".pdata":
            for begin, end, _ in struct.iter_unpack("<III", data[raw : raw + min(size, raw_size) // 12 * 12]):
                if end > begin:
                    yield base + begin, end - begin, names.get(base + begin, "")


def of_module(data: bytes) -> Iterator[tuple[int, int, str]]:
    """Positions are counted from the Code section's contents, as DWARF does."""
    position = 8
    while position < len(data):
        kind = data[position]
        size, position = uleb(data, position + 1)
        if kind == SECTION_CODE:
            count, body = uleb(data, position)
            for _ in range(count):
                length, body = uleb(data, body)
                yield body - position, length, ""
                body += length
        position += size


def uleb(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, position
