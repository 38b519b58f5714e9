"""Runs tools as whole processes, interleaved, and keeps what each run cost."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "DEBUGINFOD_URLS"} | {"LC_ALL": "C.UTF-8"}
"""No tool may look on the network for what it was given."""


@dataclass
class Cost:
    """Of all runs of one tool in one row: milliseconds on the clock and of processors, and kibibytes."""

    times: list[float] = field(default_factory=list)
    processor_times: list[float] = field(default_factory=list)
    memories: list[int] = field(default_factory=list)
    failures: int = 0

    @property
    def time(self) -> float:
        return median(self.times)

    @property
    def processor_time(self) -> float:
        return median(self.processor_times)

    @property
    def memory(self) -> float:
        return median(self.memories)


def without_index(folder: Path) -> None:
    """From here on cairn finds no kept index: what is measured is cold."""
    shutil.rmtree(folder / "no-indexes", ignore_errors=True)
    with_indexes(folder / "no-indexes")


def with_indexes(folder: Path) -> None:
    """From here on cairn finds the indexes that are kept in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    ENVIRONMENT["CAIRN_CACHE"] = str(folder)


def settle(file: Path) -> None:
    """Reads the file into the page cache in single pages, whatever state it was in.

    A file that was just written or read in order lies there in large folios, and one page fault of a mapping then counts
    up to 2 MiB as resident: llvm-symbolizer's peak for one address of libjvm is 265 MiB then, 77 MiB with single pages.
    Advised as random, a file is read without them. The smaller figure is the peers' own need, and the harder to beat.
    """
    with open(file, "rb", buffering=0) as opened:
        descriptor = opened.fileno()
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        while opened.read(1 << 20):
            pass


def run_once(launcher: Path, scratch: Path, command: list[str], input: Path | None, output: Path | None) -> tuple[float, float, int, int]:
    """(milliseconds on the clock, of all processors, peak resident kibibytes, exit status) of one run; without `output`, what it prints is dropped."""
    cost = scratch / "cost"
    cost.unlink(missing_ok=True)
    with open(input or os.devnull, "rb") as source, open(output or os.devnull, "wb") as sink:
        subprocess.run(
            [launcher, cost, *command], stdin=source, stdout=sink, stderr=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
    nanoseconds, user, system, kibibytes, status = (int(word) for word in cost.read_text().split())
    return nanoseconds / 1e6, (user + system) / 1e3, kibibytes, status


def interleaved(
    launcher: Path, scratch: Path, commands: dict[str, list[str]], input: Path | dict[str, Path] | None, runs: int
) -> dict[str, Cost]:
    """Tool by tool, round by round (A B C A B C …), so that a slow minute of the machine hits all of them alike. `input` is everybody's, or each has its own."""
    costs = {name: Cost() for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            milliseconds, processor, kibibytes, status = run_once(launcher, scratch, command, input[name] if isinstance(input, dict) else input, None)
            costs[name].times.append(milliseconds)
            costs[name].processor_times.append(processor)
            costs[name].memories.append(kibibytes)
            costs[name].failures += status != 0
    return costs
