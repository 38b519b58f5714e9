"""Replaces what stands under the heading "Built with" of a case's README by the versions of the tools named.

Usage: versions.py README TOOL...
"""

import os
import subprocess
import sys

HEADING = "## Built with"


def version(tool):
    """The first line of `TOOL --version` that carries a number, after the tool's own name."""
    name = os.path.basename(tool)
    text = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout
    lines = [line.strip() for line in text.splitlines() if any(c.isdigit() for c in line)]
    return f"- `{name}`: {lines[0]}"


def main(readme, *tools):
    with open(readme, encoding="utf-8") as file:
        kept = file.read().split(HEADING)[0].rstrip()
    listed = "\n".join(version(tool) for tool in tools)
    with open(readme, "w", encoding="utf-8") as file:
        file.write(f"{kept}\n\n{HEADING}\n\n{listed}\n")


main(*sys.argv[1:])
