"""Chooses the addresses to look up: `addresses.py OBJECT COUNT SEED`, one hexadecimal address a line.

Half are function starts, spread evenly over the image; half are random addresses inside functions, the start excluded.
Functions are the defined `FUNC` symbols with a size, so that nobody is asked about padding or data. The order is
shuffled: a log does not come sorted. The same object, count and seed give the same addresses.
"""

import random
import subprocess
import sys


def functions(path: str) -> dict[int, int]:
    """Start → size in bytes; of several symbols at one start, the largest."""
    listing = subprocess.run(["readelf", "--symbols", "--wide", path], capture_output=True, text=True, errors="replace", check=True)
    found: dict[int, int] = {}
    for line in listing.stdout.splitlines():
        # "   123: 0000000000252fd0    47 FUNC    LOCAL  DEFAULT   13 name"; a size from 100,000 on is hexadecimal.
        columns = line.split()
        if len(columns) < 8 or columns[3] != "FUNC" or columns[6] in ("UND", "ABS"):
            continue
        start, size = int(columns[1], 16), int(columns[2], 0)
        if size > 0:
            found[start] = max(size, found.get(start, 0))
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
    path, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sizes = functions(path)
    if not sizes:
        sys.exit(f"bench: {path}: no function symbols with a size: expected an unstripped object or its debug file")
    print("\n".join(f"0x{address:x}" for address in choose(sizes, count, seed)))


main()
