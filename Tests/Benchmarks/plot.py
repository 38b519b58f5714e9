"""Draws what was measured as an SVG: for each row and tool, how many times cairn's time and memory it took, on a logarithmic scale.

Bars to the right of 1 are tools that took more than cairn, bars to its left tools that took less. The colours follow the reader's light or dark page.
"""

from html import escape
from math import ceil, floor, log10
from pathlib import Path
from typing import NamedTuple

TOP, LEFT, LINE, GAP, PANEL, LABEL = 56, 150, 16, 8, 330, 60
STYLE = """
svg { background: #fff; color: #1f2328; font: 11px sans-serif }
text { fill: currentColor; stroke: #fff; stroke-width: 3px; paint-order: stroke } .row, .panel { font-weight: bold } .one { stroke: currentColor } .decade { stroke: #d0d7de }
.time { fill: #2f6f8f } .memory { fill: #b5651d }
@media (prefers-color-scheme: dark) {
svg { background: #0d1117; color: #e6edf3 } .decade { stroke: #30363d } .time { fill: #4fa3c7 } .memory { fill: #d98a45 } text { stroke: #0d1117 } }
"""


class Bar(NamedTuple):
    row: str
    tool: str
    time: float  # times the base's
    memory: float


class Scale:
    """Where a ratio stands: whole decades, from the one below the smallest to the one above the largest."""

    def __init__(self, left: float, values: list[float]):
        self.left = left
        self.low = floor(min(0.0, *map(log10, values)))
        self.high = ceil(max(1.0, *map(log10, values)))

    def x(self, value: float) -> float:
        return self.left + PANEL * (log10(value) - self.low) / (self.high - self.low)


def write_plot(path: Path, bars: list[Bar], base: str) -> None:
    """`bars`: those of tools that are comparable, in the order of the table, the base's own left out."""
    if not bars:
        path.unlink(missing_ok=True)
        return
    lines, marks, y, last = [], [], TOP, ""
    kinds = ("time", "memory")
    scales = {kind: Scale(LEFT + place * (PANEL + LABEL), [getattr(bar, kind) for bar in bars]) for place, kind in enumerate(kinds)}
    for bar in bars:
        if bar.row != last:
            y, last = y + GAP + LINE, bar.row
            marks.append(f'<text class="row" x="8" y="{y - 4}">{escape(bar.row)}</text>')
        marks.append(f'<text x="{LEFT - 8}" y="{y + LINE - 5}" text-anchor="end">{escape(bar.tool)}</text>')
        for kind, scale in scales.items():
            value = getattr(bar, kind)
            start, end = sorted((scale.x(1), scale.x(value)))
            marks.append(f'<rect class="{kind}" x="{start:.1f}" y="{y}" width="{max(1.0, end - start):.1f}" height="{LINE - 3}"/>')
            marks.append(f'<text x="{end + 4:.1f}" y="{y + LINE - 5}">{number(value)}×</text>')
        y += LINE
    for kind, scale in scales.items():
        marks.append(f'<text class="panel" x="{scale.left:.1f}" y="20">{kind}, times that of {escape(base)}</text>')
        for decade in range(scale.low, scale.high + 1):
            x = scale.x(10**decade)
            lines.append(f'<line class="{"one" if decade == 0 else "decade"}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{y}"/>')
            marks.append(f'<text x="{x:.1f}" y="{TOP - 14}" text-anchor="middle">{10**decade:g}</text>')
    size = f'width="{LEFT + 2 * (PANEL + LABEL)}" height="{y + 16}"'
    # Lines first: what is drawn later covers what was before.
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>{STYLE}</style>\n' + "\n".join(lines + marks) + "\n</svg>\n")


def number(value: float) -> str:
    """Two digits or three."""
    return f"{value:.2f}" if value < 1 else f"{value:.1f}" if value < 10 else f"{value:.0f}"
