"""Chooses the addresses to look up: `addresses.py OBJECT COUNT SEED`, one hexadecimal address a line.

Half are function starts, spread evenly over the image; half are random addresses inside functions, the start excluded.
Only functions with a size count, so that nobody is asked about padding or data. The order is shuffled: a log does not
come sorted. The same object, count and seed give the same addresses.
"""

import random
import sys
from pathlib import Path

from symbols import functions


def sizes(path: Path) -> dict[int, int]:
    """Start → size in bytes; of several symbols at one start, the largest."""
    found: dict[int, int] = {}
    for symbol in functions(path):
        if symbol.size > 0:
            found[symbol.start] = max(symbol.size, found.get(symbol.start, 0))
    return found


def choose(sizes: dict[int, int], count: int, seed: int) -> list[int]:
    generator = random.Random(seed)
    starts = sorted(sizes)
    wanted = (count + 1) // 2
    # The middle of each of `wanted` equal shares of the functions.
    spread = [starts[(2 * share + 1) * len(starts) // (2 * wanted)] for share in range(wanted)]
    roomy = [start for start in starts if sizes[start] > 1]
    inside = [start + generator.randrange(1, sizes[start]) for start in generator.choices(roomy, k=count - wanted)]
    chosen = spread + inside
    generator.shuffle(chosen)
    return chosen


def main() -> None:
    path, count, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    found = sizes(path)
    if not found:
        sys.exit(f"bench: {path}: no function symbols with a size: expected an unstripped object or its debug file")
    print("\n".join(f"0x{address:x}" for address in choose(found, count, seed)))


main()
