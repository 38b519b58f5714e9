"""Counts how often cairn and the judge agree on large objects: `agreement.py --cache DIR --keep DIR --cairn FILE NAME:RANDOM...`

Every function start of an object and RANDOM addresses inside its functions (one seed) are asked of both; an answer is the functions,
innermost first, each with file, line and column, as both print them. The classes of differences are those of
`Tests/DifferentialTests/Difference.swift`, and are taken with the same evidence, which is read from the symbol table alone. Four more:

    alias          another of the names that the table has at the function's start
    version        the judge's name has a symbol version (`ustat@GLIBC_2.2.5`), and is cairn's without it
    folded         identical functions share their code, and cairn names the one whose line it is: another name at that address is that function's, but for a suffix
    nearer-symbol  the judge names a label without size inside of the function whose size covers the address, and cairn the function
"""

import argparse
import random
import subprocess
import sys
import time
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from symbols import functions, table
from tools import check_judge, known

Answer = tuple[tuple[str, str], ...]  # (function, "file:line:column") a frame
SEED = 20_081_026
EXAMPLES = 5


def plain(name: str) -> str:
    """The name without its symbol version."""
    return name.partition("@")[0] or name


def readable(names: list[str]) -> list[str]:
    """The names as source code has them, without the suffixes of clones (`.part.0`)."""
    output = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return [name.partition(" [clone ")[0] for name in output.split("\n")[: len(names)]]


def answers(command: list[str], addresses: list[int]) -> list[Answer]:
    """What the tool prints: a function line and a place line a frame, an empty line after each address."""
    given = "".join(f"0x{address:x}\n" for address in addresses)
    output = subprocess.run(command, input=given, capture_output=True, text=True, errors="replace", check=True).stdout
    found: list[Answer] = []
    frames: list[tuple[str, str]] = []
    name = None
    for line in output.split("\n"):
        if name is not None:
            frames.append((name, line))
            name = None
        elif line:
            name = line
        elif frames:
            found.append(tuple(frames))
            frames = []
    if len(found) != len(addresses):
        sys.exit(f"agreement: {command[0]}: {len(found)} answers for {len(addresses)} addresses")
    return found


class Evidence:
    """What the symbol table says."""

    def __init__(self, path: Path):
        symbols = table(path)
        self.files = {symbol.name for symbol in symbols if symbol.kind == "FILE"}
        places = [symbol for symbol in symbols if symbol.kind != "FILE"]
        self.unsized = {symbol.name for symbol in places if symbol.size == 0}
        self.names: dict[int, set[str]] = defaultdict(set)
        for symbol in places:
            self.names[symbol.start].add(symbol.name)
        sized = sorted((symbol.start, symbol.start + symbol.size) for symbol in places if symbol.size > 0)
        self.starts = [start for start, _ in sized]
        self.ends: list[int] = []  # the farthest end so far
        for _, end in sized:
            self.ends.append(max(end, self.ends[-1] if self.ends else 0))
        self.by_name: dict[str, set[int]] = defaultdict(set)
        self.largest: dict[str, int] = {}
        for symbol in places:
            for name in {symbol.name, plain(symbol.name)}:
                self.by_name[name].add(symbol.start)
                self.largest[name] = max(symbol.size, self.largest.get(name, 0))

    def covered(self, address: int) -> bool:
        index = bisect_right(self.starts, address)
        return index > 0 and self.ends[index - 1] > address

    def is_label(self, name: str) -> bool:
        return self.largest.get(name) == 0

    def covers(self, name: str, address: int) -> bool:
        return any(start <= address < start + self.largest[name] for start in self.by_name[name])

    def kind(self, address: int, judge: Answer, cairn: Answer) -> str:
        function, place = judge[0]
        file = place.rsplit(":", 2)[0]
        has_no_line = len(judge) == 1 and place.endswith(":0:0") and (file == "??" or file in self.files)
        if has_no_line and file != "??" and len(cairn) == 1 and cairn[0] == (function, "??:0:0"):
            return "file-symbol"
        if has_no_line and cairn == (("??", "??:0:0"),) and not self.covered(address) and function in self.unsized:
            return "beyond-symbol"
        places = ["??:0:0"] if has_no_line else [place for _, place in judge]
        same_places = places == [place for _, place in cairn]
        if same_places and judge[:-1] == cairn[:-1] and self.by_name[judge[-1][0]] & self.by_name[cairn[-1][0]]:
            return "alias"
        if len(judge) == len(cairn) and all(
            theirs == ours or theirs[0] == ours[0] and "<compiler-generated>" in theirs[1] and ours[1].rsplit(":", 2)[1:] == theirs[1].rsplit(":", 2)[1:]
            for theirs, ours in zip(judge, cairn)
        ):
            return "generated-file"
        if same_places and "@" in judge[-1][0] and plain(judge[-1][0]) == cairn[-1][0] and judge[:-1] == cairn[:-1]:
            return "version"
        if same_places and judge[:-1] == cairn[:-1] and not self.by_name[cairn[-1][0]]:
            shared = {name for start in self.by_name[judge[-1][0]] for name in self.names[start]} - {judge[-1][0]}
            given, *others = readable([cairn[-1][0], *sorted(shared)])
            if given in others:
                return "folded"
        if same_places and judge[:-1] == cairn[:-1] and self.is_label(judge[-1][0]) and self.covers(cairn[-1][0], address):
            return "nearer-symbol"
        return "unexplained"


@dataclass
class Result:
    name: str
    starts: int
    interior: int
    agreeing: int
    classes: Counter[str]
    seconds: tuple[float, float]


def addresses(path: Path, count: int) -> tuple[list[int], list[int]]:
    """Every function start; and random addresses inside functions, the start excluded."""
    found: dict[int, int] = {}
    for symbol in functions(path):
        found[symbol.start] = max(symbol.size, found.get(symbol.start, 0))
    roomy = sorted(start for start, size in found.items() if size > 1)
    generator = random.Random(SEED)
    inside = {start + generator.randrange(1, found[start]) for start in generator.choices(roomy, k=count)} if roomy and count else set()
    return sorted(found), sorted(inside - set(found))


def compare(name: str, path: Path, count: int, cairn: list[str], judge: list[str], keep: Path) -> Result:
    starts, interior = addresses(path, count)
    asked = starts + interior
    begin = time.monotonic()
    ours = answers(cairn, asked)
    middle = time.monotonic()
    theirs = answers(judge, asked)
    seconds = (middle - begin, time.monotonic() - middle)
    evidence = Evidence(path)
    classes: Counter[str] = Counter()
    lines = []
    for address, right, given in zip(asked, theirs, ours):
        if right == given:
            continue
        kind = evidence.kind(address, right, given)
        classes[kind] += 1
        lines.append(f"{kind}\t0x{address:x}\t{text(right)}\t{text(given)}\n")
    (keep / f"{name}.tsv").write_text("".join(sorted(lines)))
    return Result(name, len(starts), len(interior), len(asked) - sum(classes.values()), classes, seconds)


def text(answer: Answer) -> str:
    return " < ".join(f"{function} {place}" for function, place in answer)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument("--cairn", required=True)
    parser.add_argument("objects", nargs="+")
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    tools = known(given.cache, given.cairn)
    judge = check_judge(tools)
    print(f"judge: {judge.version}\n")
    print("object\tstarts\tinterior\tagree\tpercent\texplained\tunexplained\tcairn s\tjudge s")
    failed = False
    for entry in given.objects:
        name, _, count = entry.partition(":")
        path = given.cache / "objects" / name
        result = compare(name, path, int(count or 0), tools[0].lookup_command(path), judge.lookup_command(path), given.keep)
        total = result.starts + result.interior
        explained = ", ".join(f"{kind} {number}" for kind, number in sorted(result.classes.items()) if kind != "unexplained")
        unexplained = result.classes["unexplained"]
        failed = failed or unexplained > 0
        percent = 100 * result.agreeing / total if total else 100
        times = "\t".join(f"{seconds:.2f}" for seconds in result.seconds)
        print(f"{name}\t{result.starts}\t{result.interior}\t{result.agreeing}\t{percent:.3f}\t{explained}\t{unexplained}\t{times}", flush=True)
        for kind in sorted(result.classes):
            rows = [line for line in (given.keep / f"{name}.tsv").read_text().splitlines() if line.startswith(kind + "\t")]
            for row in rows[: EXAMPLES if kind == "unexplained" else 1]:
                kind, address, right, answered = row.split("\t")
                print(f"    {kind} {address}: judge {right}; cairn {answered}")
    sys.exit(1 if failed else 0)


main()
