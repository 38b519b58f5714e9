"""Compares a tool's answers with the judge's, address by address."""

import csv
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from answers import Answer


@dataclass(frozen=True)
class Difference:
    address: str
    kind: str  # depth, function, file, line: the first that differs
    expected: Answer
    answered: Answer


@dataclass
class Agreement:
    """What a row prints about one tool's answers."""

    total: int
    unexplained: list[Difference] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)  # reason → how many

    @property
    def complete(self) -> bool:
        return not self.unexplained

    @property
    def agreeing(self) -> int:
        return self.total - len(self.unexplained) - sum(self.explained.values())


@dataclass(frozen=True)
class Explanation:
    object: str
    address: str  # `*`: every address
    tool: str
    kind: str
    why: str

    def covers(self, object: str, tool: str, difference: Difference) -> bool:
        return (
            self.object in (object, "*")
            and self.tool == tool
            and self.kind == difference.kind
            # Our own tool is never excused wholesale.
            and (self.address == difference.address or (self.address == "*" and tool != "cairn"))
        )


def explanations(path: Path) -> list[Explanation]:
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if row and not row[0].startswith("#")]
    return [Explanation(*row) for row in rows]


def compare(object: str, tool: str, addresses: list[str], expected: list[Answer], answered: list[Answer], known: list[Explanation]) -> Agreement:
    """An address that was not answered at all counts as a difference of depth."""
    agreement = Agreement(len(addresses))
    padded = answered[: len(addresses)] + [()] * (len(addresses) - len(answered))
    for address, right, given in zip(addresses, expected, padded):
        kind = first_difference(right, given)
        if not kind:
            continue
        difference = Difference(address, kind, right, given)
        reason = next((it.why for it in known if it.covers(object, tool, difference)), None)
        if reason is None:
            agreement.unexplained.append(difference)
        else:
            agreement.explained[f"{kind}: {reason}"] += 1
    return agreement


def first_difference(expected: Answer, answered: Answer) -> str:
    if len(expected) != len(answered):
        return "depth"
    for kind in ("function", "file", "line"):
        if any(getattr(left, kind) != getattr(right, kind) for left, right in zip(expected, answered)):
            return kind
    return ""


def write_differences(path: Path, agreement: Agreement) -> None:
    """The unexplained ones, one a line, frames joined by ` < `, for whoever has to explain them."""

    def text(answer: Answer) -> str:
        return " < ".join(f"{frame.function} {frame.file}:{frame.line}" for frame in answer)

    lines = [f"{it.address}\t{it.kind}\t{text(it.expected)}\t{text(it.answered)}" for it in agreement.unexplained]
    path.write_text("".join(line + "\n" for line in lines))
