"""Compares what two symbolizers print for the same addresses, byte for byte: first with linkage names, then with the names as people read them.

With linkage names nothing may differ. Where a name as people read it differs, the linkage name of the same line tells what it is, and `cpp_names` of which class.
"""

import subprocess
from collections import defaultdict
from itertools import zip_longest
from pathlib import Path

import cpp_names
from answers import Frame
from compare import Agreement, Difference

Texts = tuple[Path, Path]  # cairn's, the judge's


def compare_texts(addresses: list[str], linkage: Texts, plain: Texts) -> Agreement:
    """An answer is the lines up to an empty one."""
    agreement = Agreement(len(addresses))
    found: dict[tuple[str, str, str], set[int]] = defaultdict(set)  # (linkage name, cairn's, the judge's) → places of addresses
    place = 0
    with linkage[0].open() as our_name, linkage[1].open() as their_name, plain[0].open() as ours, plain[1].open() as theirs:
        for name, judged, our, their in zip_longest(our_name, their_name, ours, theirs, fillvalue="nothing\n"):
            if name != judged:
                found[name, name, judged].add(place)
            elif our != their:
                found[name, our, their].add(place)
            place += name == "\n"
    if place != len(addresses):
        found["", f"{place} answers\n", f"{len(addresses)} addresses\n"].add(len(addresses) - 1)
    keys = [tuple(text.rstrip("\n") for text in key) for key in found]
    gnu = demangled([name for name, _, _ in keys])
    explained: dict[int, set[str]] = defaultdict(set)
    for (name, our, their), reading, places in zip(keys, gnu, found.values(), strict=True):
        kind = cpp_names.kind(name, our, their, reading)
        for place in places:
            explained[place].add(kind)
        if kind == "unexplained":
            first = addresses[min(min(places), len(addresses) - 1)]
            agreement.unexplained.append(Difference(first, frozenset([kind]), (Frame(their, "", 0),), (Frame(our, "", 0),)))
    for kinds in explained.values():
        if "unexplained" not in kinds:
            agreement.explained_addresses += 1
            agreement.explained.update(kinds)
    return agreement


def demangled(names: list[str]) -> list[str]:
    given = "".join(f"{name}\n" for name in names)
    return subprocess.run(["c++filt"], input=given, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
