"""Runs the programs of the case Bases and keeps their logs, with what llvm-symbolizer says of the program's rows.

Usage: base_logs.py PROGRAMS OUT LOGS (PROGRAMS holds the stripped programs, OUT their debug files)
"""

import glob
import os
import re
import shutil
import subprocess
import sys

import symbolizer

FOLDER = "/srv/cairn-fixtures"


def run(*arguments, environment=None):
    """What a program writes; its addresses are as random as everyone's."""
    done = subprocess.run(arguments, cwd=FOLDER, env=environment or {}, capture_output=True, text=True)
    return done.stdout + done.stderr


def base(text, path):
    """Where the program's first byte lies: the start of the mapping of the file's beginning."""
    return int(re.search(rf"^ *([0-9a-f]+)-[0-9a-f]+ \S+ 0+ \S+ \d+ +{re.escape(path)}$", text, re.M)[1], 16)


def keep(logs, out, case, name, text, program, rows, first, before=1):
    """`rows`: frame and address of each. `first`: where the program's first byte lay, which is what its file is linked from 0 on. `before`: return addresses are looked up one byte earlier."""
    folder = os.path.join(logs, case)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)
    debug = os.path.join(out, program + ".debug")
    size = os.path.getsize(os.path.join(sys.argv[1], program)) + (1 << 16)
    table = [{"address": hex(a), "link": a - first - before if 0 <= a - first < size else None, "frame": i, "thread": 0} for i, a in rows]
    symbolizer.write_expected(os.path.join(folder, "expected-" + name.rsplit(".", 1)[0] + ".tsv"), debug, table)


def main():
    programs, out, logs = sys.argv[1:]
    symbolizer.check_version()
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for name in ["tide", "tide-static", "wave", "swell", "tide-names", "wave-names"]:
        shutil.copy(os.path.join(programs, name), FOLDER)
    for name in glob.glob(os.path.join(programs, "libstd-*.so")):
        shutil.copy(name, FOLDER)
    for case in ["glibc-backtrace/tide-static", "glibc-backtrace/tide", "address-list/tide", "rust-panic/wave", "swift-runtime-trace/swell", "gdb-bt/tide"]:
        shutil.rmtree(os.path.join(logs, case), ignore_errors=True)
    folder = os.path.realpath(FOLDER)

    def numbers(pattern, text):
        return list(enumerate(int(a, 16) for a in re.findall(pattern, text, re.M)))

    for program in ["tide-static", "tide"]:
        for mode in ["before", "behind"]:
            text = run("./" + program, "symbols", mode)
            keep(logs, out, "glibc-backtrace/" + program, mode + ".txt", text, program, numbers(r"\[(0x[0-9a-f]+)\]$", text), base(text, f"{folder}/{program}"))
    # Only the mappings of code: the start and the file offset of the program's are known, and its program header tells where the byte there is linked.
    text = run("./tide", "numbers", "code")
    start, offset = (int(v, 16) for v in re.search(rf"^([0-9a-f]+)-\S+ r-xp ([0-9a-f]+) .*{folder}/tide$", text, re.M).groups())
    headers = symbolizer.run("readelf", "--program-headers", "--wide", os.path.join(programs, "tide"))
    begin, linked = (int(v, 16) for v in re.search(r"LOAD +0x(\w+) 0x(\w+) .* R E ", headers).groups())
    if linked - begin == 0:
        raise SystemExit("fixtures: tide: code lies in memory as in the file: expected LLVM's linker to move it")
    first = start - (offset - begin + linked)
    keep(logs, out, "address-list/tide", "code.txt", text, "tide", numbers(r"^(0x[0-9a-f]+)$", text), first, before=0)
    libraries = {"LD_LIBRARY_PATH": FOLDER, "RUST_BACKTRACE": "full"}
    text = re.sub(r"^(thread .main.) \(\d+\)", r"\1 (1234)", run("./wave", environment=libraries), flags=re.M)
    keep(logs, out, "rust-panic/wave", "full.txt", text, "wave", numbers(r"^ +\d+: +(0x[0-9a-f]+) - ", text), base(text, f"{folder}/wave"))
    # With names and without lines or a map: where it lay, the names and its symbol file tell. Without randomization Linux loads every program at 0x555555554000 (ELF_ET_DYN_BASE of x86_64).
    fixed = 0x555555554000
    text = re.sub(r"^(thread .main.) \(\d+\)", r"\1 (1234)", run("setarch", "-R", "./wave-names", "quiet", environment=libraries), flags=re.M)
    keep(logs, out, "rust-panic/wave", "names.txt", text, "wave", numbers(r"^ +\d+: +(0x[0-9a-f]+) - ", text), fixed)
    text = run("gdb", "-q", "-batch", "-nx", "-ex", "run symbols none >/dev/null", "-ex", "bt", "./tide-names", environment={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    keep(logs, out, "gdb-bt/tide", "names.txt", text, "tide", [(int(i), int(a, 16)) for i, a in re.findall(r"^#(\d+) +(0x[0-9a-f]+) in ", text, re.M)], fixed)
    text = run("./swell", environment={"LD_LIBRARY_PATH": os.environ["LIBRARIES"], "SWIFT_BACKTRACE": "enable=no"})
    pcs = [(int(i), int(a, 16) + (0 if n.startswith("<") else int(o))) for i, a, n, o in re.findall(r"^(\d+) +\S+ +(0x[0-9a-f]+) (.+) \+ (\d+)$", text, re.M)]
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.environ["LIBRARIES"])))
    first = base(text, f"{folder}/swell")
    keep(logs, out, "swift-runtime-trace/swell", "map.txt", text.replace(root + "/", "/usr/"), "swell", pcs, first)
    # What people copy into a bug report.
    commands = ["run symbols none >/dev/null", "bt", "python gdb.execute('shell cat /proc/%d/maps' % gdb.selected_inferior().pid)"]
    text = run("gdb", "-q", "-batch", "-nx", *[a for c in commands for a in ("-ex", c)], "./tide", environment={"PATH": os.environ["PATH"], "LC_ALL": "C"})
    first = base(text, f"{folder}/tide")
    keep(logs, out, "gdb-bt/tide", "maps.txt", text, "tide", [(int(i), int(a, 16)) for i, a in re.findall(r"^#(\d+) +(0x[0-9a-f]+) in ", text, re.M)], first)
    shutil.rmtree(FOLDER)


main()
