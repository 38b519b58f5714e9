"""Compares a tool's answers with the judge's, address by address, and sets explained differences apart."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from answers import Answer
from differences import BY_OBJECT, CHECKED, differences


@dataclass(frozen=True)
class Difference:
    address: str
    classes: frozenset[str]
    expected: Answer
    answered: Answer


@dataclass
class Agreement:
    """What a row prints about one tool's answers."""

    total: int
    explained: Counter[str] = field(default_factory=Counter)  # class → at how many addresses
    explained_addresses: int = 0
    unexplained: list[Difference] = field(default_factory=list)

    @property
    def complete(self) -> bool:
        return not self.unexplained

    @property
    def agreeing(self) -> int:
        return self.total - len(self.unexplained) - self.explained_addresses


@dataclass(frozen=True)
class Explanation:
    """A line of `explained.tsv`; `why` is for its readers."""

    object: str  # `*`: every object
    address: str  # `*`: every address, only where `differences` checks the class, and for cairn only of the class below
    tool: str
    kind: str
    why: str

    def covers(self, object: str, tool: str, address: str, kind: str) -> bool:
        checked = kind in CHECKED or (kind in BY_OBJECT and self.object == object)
        # cairn gives no file where there is no line information, by decision; what else it answers differently is explained one by one.
        everywhere = checked and (tool != "cairn" or kind == "file-symbol")
        here = self.address == address or (self.address == "*" and everywhere)
        return self.object in (object, "*") and self.tool == tool and self.kind == kind and here


def explanations(path: Path) -> list[Explanation]:
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and not row[0].startswith("#")]
    return [Explanation(*row) for row in rows]


def compare(
    object: Path, tool: str, addresses: list[str], expected: list[Answer], answered: list[Answer], known: list[Explanation]
) -> Agreement:
    """An address that was not answered at all has no frames."""
    agreement = Agreement(len(addresses))
    padded = answered[: len(addresses)] + [()] * (len(addresses) - len(answered))
    for address, right, given in zip(addresses, expected, padded):
        classes = differences(object, right, given)
        if not classes:
            continue
        if all(any(it.covers(object.name, tool, address, kind) for it in known) for kind in classes):
            agreement.explained_addresses += 1
            agreement.explained.update(classes)
        else:
            agreement.unexplained.append(Difference(address, classes, right, given))
    return agreement


def write_differences(path: Path, agreement: Agreement) -> None:
    """The unexplained ones, one a line, frames joined by ` < `, for whoever has to explain them."""

    def text(answer: Answer) -> str:
        return " < ".join(f"{frame.function} {frame.file}:{frame.line}" for frame in answer)

    lines = [f"{it.address}\t{'+'.join(sorted(it.classes))}\t{text(it.expected)}\t{text(it.answered)}" for it in agreement.unexplained]
    path.write_text("".join(line + "\n" for line in lines))
