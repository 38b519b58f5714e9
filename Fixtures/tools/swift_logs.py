"""Lets a Swift program crash under the real backtracer, and keeps the logs and the answers that are expected of them.

Usage: swift_logs.py PROGRAM RUNTIME LOGS CASE [ARGUMENT...]

PROGRAM runs from a neutral folder, beside copies of the runtime libraries that it needs (RUNTIME is the folder they come
from), with addresses not randomized: every log of a case is the same crash at the same addresses. The expected answers
are llvm-symbolizer's for PROGRAM's own frames; where the symbolicated log of the backtracer says something else, the
difference is listed in `differences.txt`. In the tables, `frame` counts physical frames, as the logs without names do.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import symbolizer

NEUTRAL_FOLDERS = ["/srv/cairn-fixtures", "/tmp/cairn-fixtures"]

# file name, SWIFT_BACKTRACE settings
LOGS = [
    ("full.txt", "format=text,preset=full,symbolicate=full"),
    ("fast.txt", "format=text,preset=full,symbolicate=fast"),
    ("off.txt", "format=text,preset=full,symbolicate=off"),
    ("off.json", "format=json,preset=full,symbolicate=off"),
    ("friendly.txt", "format=text,preset=friendly,symbolicate=full"),
    ("medium.txt", "format=text,preset=medium,symbolicate=full"),
]


def neutral_folder():
    for folder in NEUTRAL_FOLDERS:
        try:
            shutil.rmtree(folder, ignore_errors=True)
            os.makedirs(os.path.join(folder, "lib"))
            return folder
        except OSError:
            continue
    raise SystemExit("fixtures: no neutral folder can be made")


def install(program, runtime, folder):
    """Copies the program and what it loads from the toolchain; says where the copy of the program is."""
    listing = subprocess.run(["ldd", program], env={"LD_LIBRARY_PATH": runtime}, capture_output=True, text=True, check=True)
    for name, path in re.findall(r"(\S+) => (\S+)", listing.stdout):
        if path.startswith(runtime):
            shutil.copy(path, os.path.join(folder, "lib", name))
    return shutil.copy(program, folder)


def crash(program, folder, arguments, settings):
    """What the program and the backtracer wrote, as bytes. The environment is empty: registers and stacks are in the log."""
    environment = {"LD_LIBRARY_PATH": f"{folder}/lib", "SWIFT_BACKTRACE": settings}
    done = subprocess.run(["setarch", "-R", program, *arguments], cwd=folder, env=environment, capture_output=True)
    if done.returncode >= 0 and done.returncode < 128:
        raise SystemExit(f"fixtures: {program}: ended with {done.returncode}: expected a crash")
    return done.stdout + done.stderr


def write(directory, name, data):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "wb") as file:
        file.write(data)


def report_of(log):
    """The JSON report: the program's own words come before it, on the same stream."""
    return json.loads(log[log.index(b"{"):])


def stacks(log):
    """The addresses of every thread's frames, in order, an inlined call's once."""
    if b'"kind": "crashReport"' in log:
        found = [frame["address"] for thread in report_of(log)["threads"] for frame in thread["frames"] if "address" in frame]
    else:
        frames = log.decode().split("\nRegisters:")[0]
        found = re.findall(r"^ *\d+ (?:\[\w+\] *)* *(0x[0-9a-f]{16})", frames, re.M)
    return [address for address, before in zip(found, [None, *found]) if address != before]


def crash_alike(program, folder, arguments, settings, wanted):
    """Crashes again until every thread is where `wanted` has it: the runtime's own threads come and go."""
    for _ in range(200):
        log = crash(program, folder, arguments, settings)
        if "friendly" in settings or "medium" in settings or stacks(log) == wanted:
            return log
    raise SystemExit(f"fixtures: {program}: no crash with {settings} had the same stacks")


def rows_of(report, program):
    """One row for each physical frame of the JSON report; the inlined entries above it are of the same address."""
    name = os.path.basename(program)
    bases = {image["name"]: int(image["baseAddress"], 16) for image in report["images"]}
    rows = []
    for number, thread in enumerate(report["threads"]):
        index = 0
        for frame in thread["frames"]:
            if "address" in frame and not frame.get("inlined"):
                address = int(frame["address"], 16)
                # As the Swift runtime's Backtrace.Frame: only a return address is looked up one byte earlier.
                lookup = address - 1 if frame["kind"] == "returnAddress" else address
                link = lookup - bases[name] if frame.get("image") == name else None
                rows.append({"address": hex(address), "link": link, "frame": index, "thread": number})
            if not frame.get("inlined"):
                index += 1
    return rows


def differences(report, program, expected):
    """Where the backtracer's own answers and llvm-symbolizer's differ, as lines of text."""
    with open(expected, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    table = {}
    for line in lines[1:]:
        cells = dict(zip(lines[0], line))
        if cells["function"]:
            answer = (cells["linkage_name"], cells["file"], cells["line"])
            table.setdefault((cells["thread"], cells["address"]), []).append(answer)
    said = {}
    for number, thread in enumerate(report["threads"]):
        for frame in thread["frames"]:
            if frame.get("image") == os.path.basename(program):
                source = frame.get("sourceLocation") or {}
                # It joins the empty directory of generated code with a second slash, and writes 0 for no line.
                file, line = source.get("file", "").replace("//", "/"), source.get("line") or ""
                answer = (frame["symbol"], file, str(line))
                said.setdefault((str(number), hex(int(frame["address"], 16))), []).append(answer)
    found = []
    for key in said:
        if said[key] != table.get(key):
            found.append(f"thread {key[0]}, {key[1]}")
            found += [f"  backtracer       {' '.join(answer)}" for answer in said[key]]
            found += [f"  llvm-symbolizer  {' '.join(answer)}" for answer in table.get(key, [])]
    return found


def main(program, runtime, logs, case, *arguments):
    symbolizer.check_version()
    folder = neutral_folder()
    copy = install(program, runtime, folder)
    helper = os.path.join(os.path.dirname(os.path.dirname(runtime)), "..", "libexec", "swift", "linux", "swift-backtrace")
    directory = os.path.join(logs, "swift-backtrace", case)
    shutil.rmtree(directory, ignore_errors=True)
    common = f"enable=yes,color=no,warnings=suppressed,swift-backtrace={os.path.realpath(helper)},"
    tries = [crash(copy, folder, arguments, common + "format=json,preset=full,symbolicate=full") for _ in range(15)]
    # The most frequent stacks, so that the other settings meet them again.
    first = max(tries, key=lambda log: sum(stacks(log) == stacks(other) for other in tries))
    write(directory, "full.json", first)
    for name, settings in LOGS:
        write(directory, name, crash_alike(copy, folder, arguments, common + settings, stacks(first)))
    report = report_of(first)
    expected = os.path.join(directory, "expected.tsv")
    symbolizer.write_expected(expected, program, rows_of(report, program))
    found = differences(report, program, expected)
    if found:
        write(directory, "differences.txt", ("\n".join(found) + "\n").encode())

    directory = os.path.join(logs, "swift-runtime-trace", case)
    shutil.rmtree(directory, ignore_errors=True)
    trace = crash(copy, folder, arguments, "enable=no").decode()
    if "Current stack trace:" in trace:
        write(directory, "trace.txt", trace.encode())
        table = re.findall(r"^(\d+)\s+(\S+)\s+(0x[0-9a-f]+) (.+) \+ (\d+)$", trace, re.M)
        # `<unavailable>` rows hold the return address, and `+ N` is its distance from the image's base; rows with a name
        # hold the symbol's address, and `+ N` is the return address's distance from it.
        base = next(int(address, 16) - int(offset) for _, image, address, name, offset in table
                    if image == os.path.basename(program) and name == "<unavailable>")
        rows = []
        for index, image, address, name, offset in table:
            pc = int(address, 16) + (0 if name == "<unavailable>" else int(offset))
            link = pc - 1 - base if image == os.path.basename(program) else None
            rows.append({"address": hex(pc), "link": link, "frame": index, "thread": 0})
        symbolizer.write_expected(os.path.join(directory, "expected.tsv"), program, rows)
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
