"""symbolic's SymCache as a whole process: `symbolic_lookup.py FILE < addresses`, answers in llvm-symbolizer's style.

The SymCache is built in memory first, because that is what one lookup costs without an index. It knows no columns.
"""

import struct
import sys

from symbolic.debuginfo import Archive

LOAD = 1  # PT_LOAD


def load_address(path: str) -> int:
    """Where the first loadable segment lies; SymCaches count from there. 64-bit little-endian ELF, as all objects here."""
    with open(path, "rb") as file:
        header = file.read(64)
        table, entry_size, count = struct.unpack_from("<Q14xHH", header, 32)
        file.seek(table)
        for _ in range(count):
            kind, virtual_address = struct.unpack_from("<I12xQ", file.read(entry_size))
            if kind == LOAD:
                return virtual_address
    return 0


def main() -> None:
    base = load_address(sys.argv[1])
    cache = next(Archive.open(sys.argv[1]).iter_objects()).make_symcache()
    lines = []
    for address in sys.stdin:
        frames = cache.lookup(int(address, 16) - base)
        for frame in frames:
            lines.append(frame.symbol or "??")
            lines.append(f"{frame.full_path or '??'}:{frame.line}:0")
        lines.extend([""] if frames else ["??", "??:0:0", ""])
    print("\n".join(lines))


main()
