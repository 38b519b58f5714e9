#!/usr/bin/env python3
"""Writes a Breakpad symbol file from what llvm-symbolizer says of every byte of a program's code: a dumper that knows nothing of cairn.

    breakpad_symbols.py OBJECT OUTPUT SYSTEM ARCHITECTURE NAME [SLICE]
"""

import json
import re
import subprocess
import sys

import symbolizer


def identity(path, system, slice_name):
    """The id of MODULE, and the whole build ID where there is one."""
    if system == "mac":
        text = symbolizer.run("llvm-objdump-19", "--macho", "--private-headers", f"--arch={slice_name}", path)
        return re.search(r"uuid ([0-9A-F-]{36})", text).group(1).replace("-", "") + "0", None
    whole = re.search(r"Build ID: ([0-9a-f]+)", symbolizer.run("llvm-readelf-19", "--notes", path)).group(1).upper()
    # The GUID's first three numbers as a little-endian machine prints them.
    cut = bytes.fromhex(whole[:32])
    guid = cut[3::-1] + cut[5:3:-1] + cut[7:5:-1] + cut[8:]
    return guid.hex().upper() + "0", whole


def code(path, system, slice_name):
    """The image's base, and the addresses of its code."""
    ranges = []
    if system == "mac":
        text = symbolizer.run("llvm-objdump-19", "--macho", "--private-headers", f"--arch={slice_name}", path)
        base = int(re.search(r"segname __TEXT\s+vmaddr (0x[0-9a-f]+)", text).group(1), 16)
        for start, size in re.findall(r"sectname __text\s+segname __TEXT\s+addr (0x[0-9a-f]+)\s+size (0x[0-9a-f]+)", text):
            ranges.append(range(int(start, 16), int(start, 16) + int(size, 16)))
    else:
        loads = re.findall(r"^\s+LOAD\s+0x[0-9a-f]+ (0x[0-9a-f]+)", symbolizer.run("llvm-readelf-19", "-lW", path), re.M)
        base = min(int(load, 16) for load in loads)
        for line in symbolizer.run("llvm-readelf-19", "-SW", path).splitlines():
            match = re.match(r"\s+\[ *\d+\] \S+\s+(?:PROGBITS|NOBITS)\s+([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) [0-9a-f]+ +AX", line)
            if match:
                start, size = (int(part, 16) for part in match.groups())
                ranges.append(range(start, start + size))
    return base, [address for part in ranges for address in part]


def frames(path, addresses, slice_name):
    """For each address the frames, innermost first: (name, file, line, start of the function)."""
    arguments = [symbolizer.SYMBOLIZER, "--output-style=JSON", f"--obj={path}"] + ([f"--default-arch={slice_name}"] if slice_name else [])
    result = []
    for first in range(0, len(addresses), 1000):
        for item in json.loads(symbolizer.run(*arguments, *[hex(a) for a in addresses[first : first + 1000]])):
            known = [s for s in item.get("Symbol", []) if s["FunctionName"]]
            result.append([(s["FunctionName"], s["FileName"], s["Line"], s.get("StartAddress", "")) for s in known])
    return result


def runs(values):
    """Neighbouring equal values: (first index, count, value)."""
    first = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[first]:
            yield first, index - first, values[first]
            first = index


def main(path, output, system, architecture, name, slice_name=None):
    symbolizer.check_version()
    module, whole = identity(path, system, slice_name)
    base, addresses = code(path, system, slice_name)
    answers = frames(path, addresses, slice_name)
    files, origins, body = {}, {}, []
    number = lambda table, key: table.setdefault(key, len(table))
    # A function is where neighbours have one name and one start.
    outer = [(a[-1][0], a[-1][3]) if a else None for a in answers]
    section = 0
    parts = []
    for i, function in enumerate(outer):
        if i and addresses[i] != addresses[i - 1] + 1:
            section += 1
        parts.append((function, section))
    for first, count, (function, _) in runs(parts):
        if function is None:
            continue
        inside = range(first, first + count)
        start = addresses[first] - base
        # Without lines, a file is the one that the symbol table names.
        if not any(answers[i][0][2] for i in inside):
            body.append((start, [f"PUBLIC {start:x} 0 {function[0]}"]))
            continue
        lines = [f"FUNC {start:x} {count:x} 0 {function[0]}"]
        # A call is told by those that it is nested in, and where each stands.
        chains = []
        for i in inside:
            stack = list(reversed(answers[i]))
            chains.append(tuple((callee[0], caller[2], caller[1]) for caller, callee in zip(stack, stack[1:])))
        ranges = {}
        for depth in range(1, max(map(len, chains)) + 1):
            for at, size, chain in runs([c[:depth] if len(c) >= depth else None for c in chains]):
                if chain:
                    ranges.setdefault(chain, []).append((addresses[first + at] - base, size))
        for chain in sorted(ranges, key=lambda c: [(ranges[c[: d + 1]][0], d) for d in range(len(c))]):
            callee, line, file = chain[-1]
            parts = " ".join(f"{a:x} {s:x}" for a, s in ranges[chain])
            lines.append(f"INLINE {len(chain) - 1} {line} {number(files, file)} {number(origins, callee)} {parts}")
        for at, size, (file, line) in runs([answers[i][0][1:3] for i in inside]):
            if file:
                lines.append(f"{addresses[first + at] - base:x} {size:x} {line} {number(files, file)}")
        body.append((start, lines))
    with open(output, "w", encoding="utf-8") as out:
        out.write(f"MODULE {system} {architecture} {module} {name}\n")
        if whole:
            out.write(f"INFO CODE_ID {whole}\n")
        for file, index in files.items():
            out.write(f"FILE {index} {file}\n")
        for origin, index in origins.items():
            out.write(f"INLINE_ORIGIN {index} {origin}\n")
        # Functions first, as the dumpers have it.
        for kind in ("FUNC", "PUBLIC"):
            for _, lines in body:
                if lines[0].startswith(kind):
                    out.write("\n".join(lines) + "\n")


main(*sys.argv[1:])
