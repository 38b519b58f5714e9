"""The expected answers: what LLVM's tools say of a file. Nothing here asks cairn.

`answers` asks the Swift toolchain's llvm-symbolizer (21); `write_expected` writes the tables that tests read.
"""

import json
import os
import re
import subprocess

SYMBOLIZER = os.environ.get("LLVM_SYMBOLIZER", "llvm-symbolizer")
DEMANGLER = os.environ.get("SWIFT_DEMANGLE", "swift-demangle")
COLUMNS = ["address", "lookup", "function", "file", "line", "column", "inline_depth", "linkage_name", "frame", "thread"]


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def check_version():
    text = run(SYMBOLIZER, "--version")
    if not re.search(r"version 21\.", text):
        raise SystemExit(f"fixtures: {SYMBOLIZER}: not version 21: expected the one of the Swift 6.3 toolchain")


def answers(path, addresses, arch=None):
    """For each link address: the symbolizer's frames, innermost first (an empty list where it knows no function)."""
    arguments = [SYMBOLIZER, "--output-style=JSON", "--no-demangle", "--functions=linkage", f"--obj={path}"]
    if arch:
        arguments.append(f"--default-arch={arch}")
    # With --obj, and addresses as arguments, the answer is one array of objects, in the order of the addresses.
    reply = json.loads(run(*arguments, *[hex(a) for a in addresses])) if addresses else []
    return [[s for s in item.get("Symbol", []) if s["FunctionName"]] for item in reply]


def simplified(names):
    """Swift and C++ names as reports print them: swift-demangle's simplified form, c++filt's full one."""
    swift = {n for n in names if re.match(r"_?\$[sSe]", n)}
    cxx = {n for n in names if re.match(r"_?_Z", n)}
    table = {}
    if swift:
        ordered = sorted(swift)
        lines = run(DEMANGLER, "-compact", "-simplified", *ordered).splitlines()
        table.update(zip(ordered, lines))
    if cxx:
        ordered = sorted(cxx)
        lines = subprocess.run(["c++filt"], input="\n".join(ordered), capture_output=True, text=True, check=True).stdout
        table.update(zip(ordered, lines.splitlines()))
    return {n: table.get(n, n) for n in names}


def write_expected(path, object_path, rows, arch=None):
    """Writes a table. `rows`: dictionaries with `address` (raw, as in the log), `link` (the link address to look up, or
    None where the log's address belongs to no known file), and what else of COLUMNS is known."""
    asked = [row["link"] for row in rows if row["link"] is not None]
    replies = iter(answers(object_path, asked, arch))
    frames_of = [next(replies) if row["link"] is not None else [] for row in rows]
    names = simplified({f["FunctionName"] for frames in frames_of for f in frames})
    with open(path, "w", encoding="utf-8") as file:
        file.write("\t".join(COLUMNS) + "\n")
        for row, frames in zip(rows, frames_of):
            lookup = "" if row["link"] is None else hex(row["link"])
            for depth, frame in enumerate(frames or [None]):
                cells = dict(row, lookup=lookup)
                if frame:
                    cells.update(
                        function=names[frame["FunctionName"]],
                        linkage_name=frame["FunctionName"],
                        file=frame["FileName"],
                        line=frame["Line"] or "",
                        column=frame["Column"] or "",
                        inline_depth=depth,
                    )
                file.write("\t".join(str(cells.get(column, "")) for column in COLUMNS) + "\n")


def line_rows(dwarf_path, arch=None):
    """The rows of every line table: (address, line, file index, is_stmt, ends the sequence), in the file's order."""
    arguments = ["llvm-dwarfdump-19", "--debug-line", dwarf_path] + ([f"--arch={arch}"] if arch else [])
    pattern = re.compile(r"^(0x[0-9a-f]+)\s+(\d+)\s+(\d+)\s+(\d+)\s+\d+\s+\d+\s+\d+\s*(.*)$")
    rows = []
    for text in run(*arguments).splitlines():
        match = pattern.match(text)
        if match:
            flags = match[5].split()
            rows.append((int(match[1], 16), int(match[2]), int(match[4]), "is_stmt" in flags, "end_sequence" in flags))
    return rows


def row_around(rows, address):
    """The line-table row that covers an address, as (start, end, line), gdb's way: the last row at or before it, up to
    the next row with a greater address."""
    best = None
    for row in rows:
        if best and row[0] > best[0] and best[0] <= address < row[0]:
            return best[0], row[0], best[1]
        best = None if row[4] else row
    return None
