"""Draws what was measured as an SVG: for each row and tool, how many times cairn's time and memory it took, on a logarithmic scale."""

from html import escape
from math import log10
from pathlib import Path
from typing import NamedTuple

LEFT, BAR, GAP, PANEL, DECADES = 270, 14, 10, 330, 3
COLOURS = {"time": "#2f6f8f", "memory": "#b5651d"}


class Bar(NamedTuple):
    row: str
    tool: str
    time: float  # times the base's
    memory: float


def write_plot(path: Path, bars: list[Bar], base: str) -> None:
    """`bars`: those of tools that are comparable, in the order of the table, the base's own left out."""
    parts, y, last = [], 50, ""
    for bar in bars:
        if bar.row != last:
            y, last = y + GAP, bar.row
        parts.append(f'<text x="{LEFT - 8}" y="{y + BAR - 3}" text-anchor="end">{escape(bar.row)} {escape(bar.tool)}</text>')
        for panel, (kind, value) in enumerate((("time", bar.time), ("memory", bar.memory))):
            x = LEFT + panel * (PANEL + 60)
            # A bar shorter than one pixel is the base's own figure or less.
            width = max(1.0, min(1.0, log10(max(value, 1.0)) / DECADES) * PANEL)
            parts.append(f'<rect x="{x}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{COLOURS[kind]}"/>')
            parts.append(f'<text x="{x + width + 4:.1f}" y="{y + BAR - 3}">{value:.2g}×</text>')
        y += BAR
    for panel, kind in enumerate(COLOURS):
        x = LEFT + panel * (PANEL + 60)
        parts.append(f'<text x="{x}" y="22" font-weight="bold">{kind}, times that of {escape(base)}</text>')
        for decade in range(DECADES + 1):
            line = x + PANEL * decade / DECADES
            parts.append(f'<line x1="{line:.1f}" x2="{line:.1f}" y1="44" y2="{y}" stroke="#ccc"/><text x="{line:.1f}" y="40" text-anchor="middle">{10 ** decade}</text>')
    size = f'width="{LEFT + 2 * PANEL + 140}" height="{y + 20}"'
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">\n' + "\n".join(parts) + "\n</svg>\n")
