"""Prints the table: one line for each tool of a row."""

from compare import Agreement
from measure import Cost
from plot import Bar

COLUMNS = ["row", "tool", "time, ms: median (min–max)", "peak, MiB", "time ratio", "memory ratio", "answers agreeing"]
WIDTHS = [16, 18, 28, 9, 10, 12, 26]


printed: list[str] = []
"""The lines so far: a table in Markdown."""
bars: list[Bar] = []
"""What is comparable of them, but for the base's own."""


def print_line(cells: list[str]) -> None:
    padded = [cell.ljust(width) if index in (0, 1, 6) else cell.rjust(width) for index, (cell, width) in enumerate(zip(cells, WIDTHS))]
    printed.append("| " + " | ".join(padded) + " |")
    print(printed[-1], flush=True)


def print_header() -> None:
    print_line(COLUMNS)
    print_line(["-" * width if index in (0, 1, 6) else "-" * (width - 1) + ":" for index, width in enumerate(WIDTHS)])


def print_absent(row: str, tool: str, why: str) -> None:
    print_line([row, tool, why, "", "", "", ""])


def print_cost(row: str, tool: str, cost: Cost, base: Cost | None, agreement: Agreement | None) -> None:
    """Without a `base` there is no ratio: the tool's or the base's answers differ, or nothing was compared with."""
    time = f"{cost.time:.1f} ({min(cost.times):.1f}–{max(cost.times):.1f})"
    memory = f"{cost.memory / 1024:.1f}"
    ratios = [f"{cost.time / base.time:.2f}", f"{cost.memory / base.memory:.2f}"] if base else ["–", "–"]
    if base and base is not cost:
        bars.append(Bar(row, tool, cost.time / base.time, cost.memory / base.memory))
    agreeing = "" if agreement is None else agreed(agreement)
    print_line([row, tool, time, memory, *ratios, f"FAILED {cost.failures}×" if cost.failures else agreeing])


def agreed(agreement: Agreement) -> str:
    explained = agreement.explained_addresses
    return f"{agreement.agreeing} of {agreement.total}" + (f", {explained} explained" if explained else "")
