"""Compares cairn's answers for the rows of libjvm with the Java machine's own names and offsets, and with llvm-symbolizer.

Usage: jvm_rows.py CAIRN SYMBOLS LOG...
SYMBOLS holds libjvm.so.debug; llvm-symbolizer is $LLVM_SYMBOLIZER.
"""

import json
import os
import re
import subprocess
import sys

cairn, symbols, *logs = sys.argv[1:]
symbolizer = os.environ.get("LLVM_SYMBOLIZER", "llvm-symbolizer")
debug = os.path.join(symbols, "libjvm.so.debug")


def own_rows(text):
    """(offset, whether the row is exact, what the machine prints behind it) of each row of libjvm among the native frames."""
    section = re.search(r"^Native frames: .*\n((?:.+\n)*)", text, re.M)[1]
    by_itself = re.search(r"^#  (Internal Error|Out of Memory Error)", text, re.M) is not None
    rows = []
    for number, row in enumerate(section.splitlines()):
        if match := re.match(r"V  \[libjvm\.so\+0x([0-9a-f]+)\](?:  (.*))?$", row):
            rows.append((int(match[1], 16), number == 0 and not by_itself, match[2] or ""))
    return rows


def their_answers(lookups):
    """llvm-symbolizer's functions with places, innermost first. (libjvm is linked at 0.)"""
    reply = subprocess.run(
        [symbolizer, "--output-style=JSON", "--functions=linkage", "--no-demangle", f"--obj={debug}", *map(hex, lookups)], check=True, capture_output=True, text=True
    ).stdout
    return [[(f["FunctionName"], os.path.basename(f["FileName"]), f["Line"]) for f in item["Symbol"]] for item in json.loads(reply)]


def our_answers(log):
    reply = subprocess.run([cairn, "symbolicate", "--format", "json", "--quiet", "--symbols", symbols, log], capture_output=True, text=True).stdout
    report = json.loads(reply.splitlines()[0])
    images = report["images"]
    return [frame for frame in report["threads"][0]["frames"] if frame.get("image") is not None and images[frame["image"]]["name"] == "libjvm.so"]


failed = 0
total = named = inlined = 0
for log in logs:
    with open(log, encoding="utf-8", errors="replace") as file:
        rows = own_rows(file.read())
    ours = our_answers(log)
    if len(ours) != len(rows) or not rows:
        print(f"{os.path.basename(log)}: {len(rows)} rows of libjvm, {len(ours)} frames of cairn's")
        failed += 1
        continue
    for (offset, exact, printed), frame, theirs in zip(rows, ours, their_answers([o if e else o - 1 for o, e, _ in rows])):
        total += 1
        functions = frame.get("functions", [])
        found = [(f.get("mangledName") or f["name"], os.path.basename(f.get("file", "")), f.get("line", 0)) for f in functions]
        inlined += len(found) > 1
        # The symbol table's name of a part of a function, `f.part.0`, is llvm-symbolizer's for the holder.
        same = [(re.sub(r"\.(part|cold|constprop|isra)\.\d+", "", n), f, l) for n, f, l in found] == [
            (re.sub(r"\.(part|cold|constprop|isra)\.\d+", "", n), f, l) for n, f, l in theirs
        ]
        if not same or int(frame["imageOffset"], 16) != offset:
            print(f"{os.path.basename(log)}: {offset:#x}: cairn {found}, llvm-symbolizer {theirs}")
            failed += 1
        # The machine's name is the symbol table's, its offset counts from there: the holder's.
        if (match := re.match(r"(.*)\+0x([0-9a-f]+)(?:  \(.*\))?$", printed)) and functions:
            named += 1
            plain = lambda name: re.sub(r" \[clone [^\]]*\]| |const", "", name).split("(")[0]
            if functions[-1].get("offset") != int(match[2], 16) or plain(functions[-1]["name"]) not in (plain(match[1]), plain(match[1]).split(">")[-1]):
                print(f"{os.path.basename(log)}: {offset:#x}: cairn {functions[-1]['name']} + {functions[-1].get('offset')}, the machine {printed}")
                failed += 1
print(f"{total} rows of libjvm in {len(logs)} logs, {inlined} with inlined calls; {named} that the machine names itself; {failed} differences")
sys.exit(1 if failed or total < 20 else 0)
