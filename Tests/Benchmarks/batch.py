"""The measurement behind scripts/checks/bench-batch."""

import argparse
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path
from statistics import median

from measure import ENVIRONMENT, run_once, with_indexes, without_index

HERE = Path(__file__).parent
ROOT = HERE.parent.parent


def triples(corpus: Path) -> tuple[set[str], list[str]]:
    """The names of the corpus's logs that the peers read and it has symbols for, and the files of those symbols."""
    logs, files = set(), set()
    for line in (corpus / "TRIPLES.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        _, log, objects, *_ = line.split("\t")
        if log and objects.startswith("objects/") and not log.endswith(".dmp"):
            logs.add(os.path.basename(log))
            files.update(str(corpus / file) for file in objects.split(";"))
    return logs, sorted(files)


def make_logs(folder: Path, count: int) -> None:
    if folder.exists():
        return
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    subprocess.run([ROOT / "scripts/checks/batch-logs", part, str(count), "1"], check=True, stdout=subprocess.DEVNULL)
    part.rename(folder)


def select(folder: Path, chosen: Path, names: set[str], limit: int | None = None) -> list[str]:
    """The logs of a folder that the peers can answer, as links in a folder of their own."""
    shutil.rmtree(chosen, ignore_errors=True)
    paths = []
    for path in sorted(folder.glob("*/*")):
        if any(path.name.endswith("-" + name) for name in names) and (limit is None or len(paths) < limit):
            link = chosen / path.parent.name / path.name
            link.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, link)
            paths.append(str(link))
    return paths


# Comparing


def names_of(texts: set[str]) -> dict[str, str]:
    """Linkage names as people read them, by the toolchain's demanglers."""
    plain = {text: text for text in texts}
    for tool, prefixes in ((["swift-demangle", "-compact", "-simplified"], ("$s", "$S", "_T")), (["llvm-cxxfilt"], ("_Z",))):
        chosen = sorted(text for text in texts if text.startswith(prefixes))
        if chosen and shutil.which(tool[0]):
            output = subprocess.run(tool, input="\n".join(chosen), capture_output=True, text=True, check=True).stdout.splitlines()
            plain.update(zip(chosen, output))
    return plain


def bare(name: str) -> str:
    """Without what demanglers spell differently: spaces, and a symbol table's leading underscore."""
    return re.sub(r"\s+", "", name).removeprefix("_")


Place = tuple[str, str, int, bool]
Answer = tuple[tuple[str, str, int], ...]


def cairn_answers(store: Path) -> dict[Place, Answer]:
    """By log, image, offset, and whether the frame is a return address: functions, files and lines, innermost first."""
    database = sqlite3.connect(store)
    functions: dict[tuple[int, int], list] = {}
    for stack, frame, name, file, line in database.execute("SELECT stack, frame, name, file, line FROM functions ORDER BY stack, frame, depth"):
        functions.setdefault((stack, frame), []).append((name, file or "", line))
    found = {}
    query = """SELECT files.path, images.identity, frames.offset, frames.kind, frames.stack, frames.number FROM files JOIN reports ON reports.log = files.log
        JOIN threads ON threads.report = reports.id JOIN frames ON frames.stack = threads.stack JOIN images ON images.id = frames.image"""
    for path, identity, offset, kind, stack, number in database.execute(query):
        answer = functions.get((stack, number))
        if answer and identity:
            found[(os.path.basename(path), identity.replace("-", "").lower(), offset, kind == "return-address")] = tuple(answer)
    return found


def peer_answers(store: Path) -> dict[Place, Answer]:
    database = sqlite3.connect(store)
    rows = database.execute("SELECT log, image, offset, is_return, thread, number, function, file, line FROM frames WHERE function IS NOT NULL ORDER BY log, thread, number, depth").fetchall()
    plain = names_of({row[6] for row in rows})
    grouped: dict[tuple, list] = {}
    for log, image, offset, is_return, thread, number, function, file, line in rows:
        grouped.setdefault((log, image, offset, bool(is_return), thread, number), []).append((plain[function], file or "", line or 0))
    return {(os.path.basename(log), image, offset, is_return): tuple(answer) for (log, image, offset, is_return, _, _), answer in grouped.items()}


def difference(ours: Answer, theirs: Answer) -> str:
    """Which class of difference two answers are; empty where they agree."""
    if len(ours) != len(theirs):
        return "number of inlined calls"
    classes = set()
    for (name, file, line), (other, other_file, other_line) in zip(ours, theirs):
        if bare(name) != bare(other):
            classes.add("function's name")
        if os.path.normpath(file or ".") != os.path.normpath(other_file or "."):
            same = os.path.basename(file) == os.path.basename(other_file)
            # symbolic gives no folder to `<compiler-generated>`; llvm-symbolizer and cairn give the compilation's.
            classes.add("the folder of <compiler-generated>" if same and "<" in file else "file's folder" if same else "file known to one alone" if not file or not other_file else "file")
        elif line != other_line:
            classes.add("line 0 to one alone" if not line or not other_line else "line")
    return ", ".join(sorted(classes))


def compare(name: str, ours: dict[Place, Answer], theirs: dict[Place, Answer]) -> None:
    both = ours.keys() & theirs.keys()
    classes: Counter[str] = Counter()
    examples: dict[str, tuple] = {}
    for place in sorted(both):
        kind = difference(ours[place], theirs[place])
        classes[kind] += 1
        if kind:
            examples.setdefault(kind, (place, ours[place], theirs[place]))
    logs = {place[0] for place in theirs}
    alone = sum(1 for place in ours.keys() - theirs.keys() if place[0] in logs)
    print(f"answers beside {name}: {len(both)} frames answered by both, {classes['']} the same; {alone} by cairn alone, {len(theirs.keys() - ours.keys())} by {name} alone")
    for kind, count in classes.most_common():
        if kind:
            print(f"  {count} differ in {kind}: {examples[kind]}")


# Measuring


class Bench:
    def __init__(self, cache: Path, binary: str, corpus: Path) -> None:
        self.cache, self.binary, self.corpus = cache, binary, corpus
        self.launcher = cache / "launcher"
        self.store = cache / "batch-store.sqlite"
        self.input = cache / "batch-paths.txt"

    def cold(self) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(str(self.store) + ending).unlink(missing_ok=True)

    def run(self, command: list, input: Path | None = None) -> tuple[float, float, float]:
        """Seconds on the clock, of processors, and megabytes at the peak, from no store on."""
        self.cold()
        milliseconds, processor, kibibytes, status = run_once(self.launcher, self.cache, [str(word) for word in command], input, None)
        # cairn ends with 1 where a log could not be read, and the corpus has some.
        if status not in (0, 1):
            sys.exit(f"bench-batch: {command[0]} ended with {status}")
        return milliseconds / 1000, processor / 1000, kibibytes / 1024

    def cairn(self, logs: Path, one: bool = False) -> list:
        command = [self.binary, "batch", logs, "--store", self.store, "--symbols", self.corpus / "objects", "--quiet"]
        return ["taskset", "-c", "0", *command, "--jobs", "1"] if one else command


def tell(name: str, logs: int, runs: list[tuple[float, float, float]]) -> float:
    """Prints a row, and returns logs a second."""
    seconds, processors, memory = (median(run[column] for run in runs) for column in range(3))
    rate = logs / seconds
    print(f"{name:58} {seconds:8.2f} s {rate:8.0f} logs/s {processors:8.2f} s of processors {memory:7.0f} MB")
    return rate


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ["--binary", "--cache", "--corpus", "--symbolizer", "--symbolic"]:
        parser.add_argument(name, required=True)
    for name in ["--logs", "--runs", "--peer-logs"]:
        parser.add_argument(name, type=int, required=True)
    arguments = parser.parse_args()
    cache, corpus = Path(arguments.cache), Path(arguments.corpus)
    bench = Bench(cache, arguments.binary, corpus)
    names, files = triples(corpus)
    count = arguments.logs
    small, large = cache / f"batch-{count}", cache / f"batch-{2 * count}"
    make_logs(small, count)
    make_logs(large, 2 * count)
    answered, few = cache / "batch-answered", cache / "batch-few"
    paths = select(small, answered, names)
    few_paths = select(small, few, names, arguments.peer_logs)
    inputs = {}
    for name, chosen in (("all", paths), ("few", few_paths)):
        inputs[name] = cache / f"batch-paths-{name}.txt"
        inputs[name].write_text("\n".join(chosen) + "\n")
    kept = cache / "batch-symcaches"
    shutil.rmtree(kept, ignore_errors=True)
    subprocess.run([arguments.symbolic, HERE / "batch_symbolic.py", "index", kept, *files], check=True, env=ENVIRONMENT)
    symbolic = [arguments.symbolic, HERE / "batch_symbolic.py", "answer", kept, bench.store]
    times = cache / "batch-times.txt"
    symbolizer = [sys.executable, HERE / "batch_symbolizer.py", arguments.symbolizer, bench.store, times, *files]

    # The results are compared first.
    without_index(cache)
    bench.run(bench.cairn(answered))
    ours = cairn_answers(bench.store)
    bench.run(symbolic, inputs["all"])
    compare("symbolic", ours, peer_answers(bench.store))
    bench.run(symbolizer, inputs["few"])
    compare("llvm-symbolizer", ours, peer_answers(bench.store))
    print()

    # Round by round, so that a slow minute hits all alike.
    rows = {name: [] for name in ("cairn", "cairn one", "symbolic", "few", "symbolizer", "small", "large", "indexing", "indexed")}
    own = []
    for _ in range(arguments.runs):
        without_index(cache)
        rows["cairn"].append(bench.run(bench.cairn(answered)))
        rows["symbolic"].append(bench.run(["taskset", "-c", "0", *symbolic], inputs["all"]))
        rows["cairn one"].append(bench.run(bench.cairn(answered, one=True)))
        rows["few"].append(bench.run(bench.cairn(few)))
        rows["symbolizer"].append(bench.run(symbolizer, inputs["few"]))
        own.append([float(word) for word in times.read_text().split()])
        rows["small"].append(bench.run(bench.cairn(small)))
        rows["large"].append(bench.run(bench.cairn(large)))
        indexes = cache / "batch-indexes"
        shutil.rmtree(indexes, ignore_errors=True)
        with_indexes(indexes)
        rows["indexing"].append(bench.run([bench.binary, "index", *files]))
        rows["indexed"].append(bench.run(bench.cairn(small)))
    whole = tell(f"cairn batch, {count} logs of all formats, all cores", count, rows["small"])
    twice = tell(f"cairn batch, {2 * count} logs", 2 * count, rows["large"])
    tell(f"cairn batch, {count} logs, with indexes made before", count, rows["indexed"])
    tell("making the indexes", len(files), rows["indexing"])
    print()
    all_cores = tell(f"cairn batch, {len(paths)} logs with symbols, all cores", len(paths), rows["cairn"])
    one_core = tell(f"cairn batch, {len(paths)} logs with symbols, one core", len(paths), rows["cairn one"])
    python = tell(f"Python over symbolic, {len(paths)} logs, one core", len(paths), rows["symbolic"])
    print()
    ours_few = tell(f"cairn batch, {len(few_paths)} logs with symbols, all cores", len(few_paths), rows["few"])
    processes = tell(f"one llvm-symbolizer a log, {len(few_paths)} logs", len(few_paths), rows["symbolizer"])
    reading, answering, keeping = (median(run[column] for run in own) for column in range(3))
    print(f"  of that: reading the logs {reading:.2f} s, the processes {answering:.2f} s, keeping {keeping:.2f} s")
    print()
    memory = [median(run[2] for run in rows[name]) for name in ("small", "large")]
    bounds = [
        ("logs a second over one llvm-symbolizer a log", all_cores / processes, 20, ">="),
        ("the same, of the processes' time alone", all_cores / (len(few_paths) / answering), 20, ">="),
        ("logs a second over Python and symbolic, all cores", all_cores / python, 5, ">="),
        ("the same, one core", one_core / python, 5, ">="),
        ("time of twice the logs", 2 * whole / twice, 2.1, "<="),
        ("memory of twice the logs", memory[1] / memory[0], 1.1, "<="),
    ]
    missed = False
    for name, value, bound, sign in bounds:
        holds = value >= bound if sign == ">=" else value <= bound
        missed |= not holds
        print(f"{name:58} {value:8.2f} (bound {sign} {bound}){'' if holds else '  MISSED'}")
    print(f"  ({len(few_paths)} logs alone: {ours_few:.0f} logs/s of cairn's, of which starting and opening symbols are a part)")
    bench.cold()
    sys.exit(1 if missed else 0)


main()
