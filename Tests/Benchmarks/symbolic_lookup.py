"""symbolic's SymCache as a whole process: `symbolic_lookup.py FILE < addresses`, answers in llvm-symbolizer's style.

The SymCache is built in memory first, because that is what one lookup costs without an index. It knows no columns.
"""

import sys

from symbolic.debuginfo import Archive


def main() -> None:
    image = next(Archive.open(sys.argv[1]).iter_objects())
    cache = image.make_symcache()
    lines = []
    for address in sys.stdin:
        frames = cache.lookup(int(address, 16))
        for frame in frames:
            lines.append(frame.symbol or "??")
            lines.append(f"{frame.full_path or '??'}:{frame.line}:0")
        lines.extend([""] if frames else ["??", "??:0:0", ""])
    print("\n".join(lines))


main()
