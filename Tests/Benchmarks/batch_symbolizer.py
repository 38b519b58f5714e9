"""One llvm-symbolizer process a log, with all of its addresses, as CI scripts do it; frames are kept in SQLite.

    batch_symbolizer.py SYMBOLIZER STORE TIMES FILE... < paths of logs, a line each

In TIMES it leaves the seconds that reading the logs took, those that the processes took, and those that keeping the answers took: what is not the symbolizer's own work is told apart.
"""

import json
import os
import sqlite3
import subprocess
import sys
import time

from batch_reading import read, slices


def main() -> None:
    symbolizer, store, times, *files = sys.argv[1:]
    known = {}
    for path in files:
        with open(path, "rb") as file:
            found = slices(file.read())
        for slice in found:
            name = path if len(found) == 1 else f"{path}:{slice.arch}"
            known[slice.identity] = name, slice.begin, ~1 if slice.arch.startswith("armv") else ~0
    database = sqlite3.connect(store)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("CREATE TABLE frames (log TEXT, thread INTEGER, number INTEGER, image TEXT, offset INTEGER, is_return INTEGER, depth INTEGER, function TEXT, file TEXT, line INTEGER)")
    reading = answering = keeping = 0.0
    for path in sys.stdin.read().splitlines():
        start = time.monotonic()
        with open(path, "rb") as file:
            frames = read(file.read())
        asked = [frame for frame in frames if frame.image in known]
        lines = []
        for frame in asked:
            name, begin, mask = known[frame.image]
            lines.append(f'"{name}" 0x{begin + (frame.offset & mask) - frame.is_return:x}\n')
        reading += time.monotonic() - start
        start = time.monotonic()
        command = [symbolizer, "--output-style=JSON", "--no-demangle", "--inlines"]
        result = subprocess.run(command, input="".join(lines), capture_output=True, text=True, check=True)
        answering += time.monotonic() - start
        start = time.monotonic()
        rows = []
        for frame, line in zip(asked, result.stdout.splitlines()):
            for depth, symbol in enumerate(json.loads(line).get("Symbol") or [{}]):
                rows.append((path, *frame, depth, symbol.get("FunctionName") or None, symbol.get("FileName") or None, symbol.get("Line")))
        database.executemany("INSERT INTO frames VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        keeping += time.monotonic() - start
    database.commit()
    database.close()
    with open(times, "w") as file:
        print(reading, answering, keeping, file=file)


main()
