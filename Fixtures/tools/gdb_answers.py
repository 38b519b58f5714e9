"""Writes FILE.gdb.tsv: what gdb itself answers to `info symbol` and `info line` for addresses of FILE.expected.tsv.

Usage: gdb_answers.py FILE... The file is opened by its name alone, so that no folder stands in the answers.
"""

import os
import subprocess
import sys


def answers(path, addresses):
    """(info symbol, info line) for each address, asked one at a time so that each answer is known by its question."""
    commands = ["-ex", "set width 0", "-ex", "set confirm off"]
    for address in addresses:
        for question in (f"info symbol {address}", f"info line *{address}"):
            commands += ["-ex", "echo @@", "-ex", question]
    done = subprocess.run(["gdb", "-nx", "-batch", *commands, os.path.basename(path)], cwd=os.path.dirname(path),
                          capture_output=True, text=True, check=True)
    said = [" ".join(part.split()) for part in done.stdout.split("@@")[1:]]
    return list(zip(said[::2], said[1::2]))


def main(*paths):
    for path in paths:
        with open(path + ".expected.tsv", encoding="utf-8") as file:
            addresses = list(dict.fromkeys(line.split("\t")[0] for line in file.readlines()[1:]))
        with open(path + ".gdb.tsv", "w", encoding="utf-8") as file:
            file.write("address\tinfo symbol\tinfo line\n")
            for address, (symbol, line) in zip(addresses, answers(path, addresses)):
                file.write(f"{address}\t{symbol}\t{line}\n")


main(*sys.argv[1:])
