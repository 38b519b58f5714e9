"""Compares demanglers over lists of names: `names.py --cache DIR --keep DIR --filter FILE --toolchain DIR --rust-demangle FILE --runs N LIST...`

The names of LIST are those in the files that DIR/names/LIST.files lists: their symbols, or the words of a mangled name's form in the corpus. Of each
scheme one demangler is the judge:

    C++     LLVM 21's, through the toolchain's `llvm-nm --demangle` over an object file that has the names as symbols
    Rust    Rust's own (`rust-demangle.rs`), in both forms; where there is no compiler, `llvm-cxxfilt-19` for the newer mangling
    Swift   the toolchain's `swift-demangle`, in both forms

A difference from the judge is of one of these classes, or unexplained:

    left-by-judge, parameters, references, both-wrong   of C++: see cpp_names.py
    suffix         what LLVM hung onto a Rust name, worded as LLVM does: `f (.0)` for Rust's `f.0`
    no-name        swift-demangle took the beginning of a word of the corpus for a name
    method-of-self a method of Swift 1 and 2, where swift-demangle shows the label of `self`
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import cpp_names
import spelling
from measure import ENVIRONMENT

SCHEMES = {
    "Rust": re.compile(rb"__?R[CMXYNIB][A-Za-z0-9_.$]{3,}|__?ZN.*17h[0-9a-f]{16}E(?:\..*)?"),
    "C++": re.compile(rb"_{1,2}Z.+|_{3,4}Z.+_block_invoke.*"),
    "Swift": re.compile(rb"_?\$[sSe].+|__?T0.+|@__swiftmacro_.+"),
    "Swift 1-3": re.compile(rb"__?T[FvIiZCOVPSMtwWT].{2,}"),
}
WORD = re.compile(rb"(?<![A-Za-z0-9_.$@])(?:_{1,4}Z[A-Za-z0-9_.$]{2,}|__?R[CMXYNIB][A-Za-z0-9_.$]{3,}|__?T[A-Za-z0-9_]{4,}|_?\$[sSe][A-Za-z0-9_]{3,})")
EXAMPLES = 3
TIMED = 1000
"""Shorter lists are not timed: a process's start would be measured."""


@dataclass
class Tools:
    filter: str
    toolchain: Path
    rust_demangle: str

    def cairn(self, names: list[str], style: str) -> list[str]:
        return answers([self.filter, style], names)


def answers(command: list[str], names: list[str]) -> list[str]:
    given = "".join(f"{name}\n" for name in names).encode()
    output = subprocess.run(command, input=given, capture_output=True, check=True).stdout.decode(errors="replace").split("\n")[:-1]
    if len(output) != len(names):
        sys.exit(f"names: {command[0]}: {len(output)} answers for {len(names)} names")
    return output


def llvm_21(tools: Tools, names: list[str]) -> list[str]:
    """The toolchain has LLVM's demangler in `llvm-nm`, which prints a symbol table in its order."""
    with tempfile.TemporaryDirectory() as folder:
        source, object = Path(folder, "names.s"), Path(folder, "names.o")
        escaped = (name.replace("\\", "\\\\").replace('"', '\\"') for name in names)
        source.write_text("".join(f'"{name}" = 1\n' for name in escaped))
        subprocess.run([tools.toolchain / "clang", "-c", source, "-o", object], check=True)
        list_ = [tools.toolchain / "llvm-nm", "--no-sort", "--format=just-symbols"]
        raw, plain = (
            subprocess.run([*list_, *more, object], capture_output=True, check=True).stdout.decode(errors="replace").split("\n")
            for more in ([], ["--demangle"]))
    found = dict(zip(raw, plain, strict=True))
    return [found[name] for name in names]


def names_of(list_: str, cache: Path, toolchain: Path) -> list[bytes]:
    """The distinct names, sorted."""
    found: set[bytes] = set()
    for path in (cache / "names" / f"{list_}.files").read_text().split("\n")[:-1]:
        if list_ == "corpus":
            found.update(match[0].rstrip(b".") for match in WORD.finditer(Path(path).read_bytes()))
            continue
        for table in ([], ["--dynamic"]):
            command = [toolchain / "llvm-nm", "--no-sort", "--format=just-symbols", *table, path]
            output = subprocess.run(command, capture_output=True).stdout
            found.update(re.sub(rb"@@?[A-Za-z0-9_.]+$", b"", line) for line in output.split(b"\n"))
    return sorted(name for name in found if name.isascii())


class Comparison:
    """One scheme of one list, in one form."""

    def __init__(self, names: list[str], ours: list[str], judge: list[str]):
        self.names, self.ours, self.judge = names, ours, judge
        self.classes: Counter[str] = Counter()
        self.lines: list[str] = []

    def count(self, kind: str, place: int) -> None:
        self.classes[kind] += 1
        self.lines.append(f"{kind}\t{self.names[place]}\t{self.judge[place]}\t{self.ours[place]}\n")

    def classify(self, kind) -> None:
        for place, (name, ours, judge) in enumerate(zip(self.names, self.ours, self.judge)):
            if ours == judge:
                self.classes["left by both" if ours == name else "same"] += 1
            else:
                self.count(kind(place, name, ours, judge), place)


def compare_cpp(tools: Tools, names: list[str], gnu: list[str]) -> Comparison:
    found = Comparison(names, tools.cairn(names, "simplified"), llvm_21(tools, names))
    found.classify(lambda place, name, ours, judge: cpp_names.kind(name, ours, judge, gnu[place]))
    return found


def compare_gnu(names: list[str], ours: list[str], gnu: list[str]) -> Counter[str]:
    """Against gcc's demangler, which spells otherwise."""
    classes: Counter[str] = Counter()
    for name, our, their in zip(names, ours, gnu):
        if our == their:
            classes["left by both" if our == name else "same"] += 1
        elif their == name:
            classes["left by c++filt"] += 1
        elif our == name:
            classes["left by cairn"] += 1
        else:
            classes["same in another spelling" if spelling.same(our, their) else "different"] += 1
    return classes


def compare_rust(tools: Tools, names: list[str], form: str) -> Comparison:
    def kind(place: int, name: str, ours: str, judge: str) -> str:
        return "suffix" if re.sub(r" \((\.[^()]*)\)$", r"\1", ours) == re.sub(r"\.llvm\.[0-9A-F]+", "", judge) else "unexplained"

    if Path(tools.rust_demangle).exists():
        judge = answers([tools.rust_demangle, form], names)
    else:
        names = [name for name in names if "R" in name[:3] and ".llvm." not in name]
        judge = answers(["llvm-cxxfilt-19"], names)
    found = Comparison(names, tools.cairn(names, form), judge)
    found.classify(kind)
    return found


def compare_swift(tools: Tools, names: list[str], form: str) -> Comparison:
    demangle = [str(tools.toolchain / "swift-demangle"), "-compact"]
    # It knows Mach-O's underscore before `$s` alone.
    asked = [name[1:] if name.startswith("__T") else name for name in names]
    full = answers(demangle, asked)
    ours = tools.cairn(names, form)
    judged = full if form == "full" else answers([*demangle, "-simplified"], asked)
    judged = [name if answer == question else answer for name, question, answer in zip(names, asked, judged)]

    def kind(place: int, name: str, ours: str, judge: str) -> str:
        if 'with unmangled suffix "' in full[place]:
            return "no-name"
        return "method-of-self" if re.search(r"\) -> \(.*\) -> ", full[place]) and form == "simplified" else "unexplained"

    found = Comparison(names, ours, judged)
    found.classify(kind)
    return found


def peers(scheme: str, tools: Tools) -> dict[str, list[str]]:
    """Whom to time on the same list, each in the form that it prints without options."""
    timed = {"cairn": [tools.filter, "simplified"]}
    if scheme.startswith("Swift"):
        timed["swift-demangle"] = [str(tools.toolchain / "swift-demangle"), "-compact", "-simplified"]
    else:
        timed |= {"llvm-cxxfilt-19": ["llvm-cxxfilt-19"], "c++filt": ["c++filt"]}
    if scheme == "Rust" and Path(tools.rust_demangle).exists():
        timed["rust-demangle"] = [tools.rust_demangle]
    return timed


def processor_times(commands: dict[str, list[str]], names: list[str], runs: int) -> dict[str, float]:
    """Seconds of user and system time of the whole process, median of interleaved runs: elapsed time says less on a machine with other work."""
    given = "".join(f"{name}\n" for name in names).encode()
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, input=given, stdout=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times[name].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return {name: median(found) for name, found in times.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    for option in ("cache", "keep", "toolchain"):
        parser.add_argument("--" + option, type=Path, required=True)
    for option in ("filter", "rust-demangle"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--runs", type=int, required=True)
    parser.add_argument("lists", nargs="+")
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    tools = Tools(given.filter, given.toolchain, given.rust_demangle)
    unexplained = 0
    for list_ in given.lists:
        rest = names_of(list_, given.cache, given.toolchain)
        for scheme, form in SCHEMES.items():
            names = [name.decode() for name in rest if form.fullmatch(name)]
            rest = [name for name in rest if not form.fullmatch(name)]
            if not names:
                continue
            print(f"\n{list_}: {len(names)} names of {scheme}")
            comparisons = {}
            if scheme == "C++":
                gnu = answers(["c++filt"], names)
                comparisons["LLVM 21"] = compare_cpp(tools, names, gnu)
                print("    c++filt:", words(compare_gnu(names, comparisons["LLVM 21"].ours, gnu)))
            else:
                compare = compare_rust if scheme == "Rust" else compare_swift
                comparisons = {form: compare(tools, names, form) for form in ("simplified", "full")}
            for form, found in comparisons.items():
                print(f"    {form}:", words(found.classes), flush=True)
                unexplained += found.classes["unexplained"]
                label = f"{list_} {scheme} {form}".replace(" ", "-")
                (given.keep / f"{label}.tsv").write_text("".join(sorted(found.lines)))
                for line in [line for line in found.lines if line.startswith("unexplained")][:EXAMPLES]:
                    _, name, judge, ours = line.rstrip("\n").split("\t")
                    print(f"        {name}\n            judge {judge}\n            cairn {ours}")
            if len(names) >= TIMED:
                times = processor_times(peers(scheme, tools), names, given.runs)
                print("    processor time, µs a name:", ", ".join(f"{name} {1e6 * time / len(names):.2f}" for name, time in times.items()), flush=True)
    print(f"\n{unexplained} unexplained")
    sys.exit(1 if unexplained else 0)


def words(classes: Counter[str]) -> str:
    return ", ".join(f"{kind} {number}" for kind, number in classes.most_common() if number)


main()
