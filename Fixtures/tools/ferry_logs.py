"""Runs the stripped programs of the case Ferry, and keeps what glibc, gdb and perf say of them; and what the same tools say
of the same core and the same recording when they have the debug files.

Usage: ferry_logs.py OUT LOGS (OUT holds NAME and NAME.debug of each program and of libharbour.so.1)
"""

import json
import os
import re
import resource
import shutil
import subprocess
import sys

import symbolizer

FOLDER = "/srv/cairn-fixtures"
LIBRARY = "libharbour.so.1"
PROGRAMS = ["ferry-pie", "ferry-nopie", "ferry-static", "ferry-clang"]


def write(logs, name, text):
    path = os.path.join(logs, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(*arguments):
    """What a program writes, with addresses not randomized and an empty environment."""
    done = subprocess.run(["setarch", "-R", *arguments], cwd=FOLDER, env={}, capture_output=True, text=True)
    return done.stdout + done.stderr


def tool(*arguments):
    return subprocess.run(arguments, cwd=FOLDER, capture_output=True, text=True, check=True).stdout


def entry(path, name):
    """Where the dynamic symbol begins."""
    for line in symbolizer.run("nm", "--dynamic", "--defined-only", path).splitlines():
        value, _, found = line.split()
        if found.split("@")[0] == name:
            return int(value, 16)
    raise SystemExit(f"fixtures: {path}: no dynamic symbol {name}")


def expected_backtrace(out, logs, program, case, text):
    """One row for each row of the log: in `MODULE(+0xOFF)[0xADDR]` OFF is the link address, in `MODULE(SYM+0xOFF)[0xADDR]` it counts from
    the symbol, and without parentheses ADDR is the link address itself. All are return addresses."""
    rows = {}
    for index, (module, symbol, offset, address) in enumerate(
            re.findall(r"^([^\s([]*)(?:\(([^+)]*)\+?(0x[0-9a-f]+)?\))? ?\[(0x[0-9a-f]+)\]$", text, re.M)):
        name = os.path.basename(module) or program
        link = None
        if name in (program, LIBRARY):
            start = entry(os.path.join(out, name), symbol) if symbol else 0
            link = (start + int(offset, 16) if offset else int(address, 16)) - 1
        rows.setdefault(name, []).append({"address": address, "link": link, "frame": index, "thread": 0})
    table = []
    for name, found in rows.items():
        part = os.path.join(FOLDER, "part.tsv")
        symbolizer.write_expected(part, os.path.join(out, name + ".debug"), found)
        with open(part, encoding="utf-8") as file:
            header, *lines = file.read().splitlines()
        table += lines
    frame = header.split("\t").index("frame")
    table.sort(key=lambda line: int(line.split("\t")[frame]))
    # The static program's rows name no file: there the test gives the one that is meant.
    name = "expected-static.tsv" if program == "ferry-static" else "expected.tsv"
    write(logs, f"glibc-backtrace/{case}/{name}", "\n".join([header, *table]) + "\n")


def glibc(out, logs):
    for program in PROGRAMS:
        for mode, case in (("backtrace", program), ("assert", program + "-assert")):
            shutil.rmtree(os.path.join(logs, "glibc-backtrace", case), ignore_errors=True)
            text = run("./" + program, mode)
            write(logs, f"glibc-backtrace/{case}/{mode}.txt", text)
            expected_backtrace(out, logs, program, case, text)


def core(program, mode):
    """The core of a crash: the process's folder gets it, as kernel.core_pattern says where it is a plain name."""
    for name in os.listdir(FOLDER):
        if name.startswith("core"):
            os.remove(os.path.join(FOLDER, name))
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    run("./" + program, mode)
    found = [name for name in os.listdir(FOLDER) if name.startswith("core")]
    if len(found) != 1:
        raise SystemExit("fixtures: no core: expected kernel.core_pattern to be a plain name")
    return found[0]


def with_debug_files(out, body):
    """Calls `body` with the debug files where gdb and perf look for them: in .debug beside the program."""
    folder = os.path.join(FOLDER, ".debug")
    os.makedirs(folder)
    for name in os.listdir(out):
        if name.endswith(".debug"):
            shutil.copy(os.path.join(out, name), folder)
    try:
        return body()
    finally:
        shutil.rmtree(folder)


def gdb(out, logs):
    # No debug files of the system's: its libraries' frames are no part of the test.
    options = ["gdb", "-nx", "-batch", "-ex", "set debug-file-directory /nowhere", "-ex", "set style enabled off"]
    settled = {"crash": ["thread apply all bt", "info sharedlibrary"], "catch": ["bt", "info sharedlibrary", "info proc mappings"]}
    for mode, commands in settled.items():
        directory = os.path.join("gdb-bt", "ferry-" + mode)
        shutil.rmtree(os.path.join(logs, directory), ignore_errors=True)
        name = core("ferry-pie", mode)
        arguments = [part for command in commands for part in ("-ex", command)]

        def ask(*more):
            # The program is given after the setting, so that the setting holds for it.
            return tool(*options, "-ex", "file ./ferry-pie", "-ex", "core-file " + name, *arguments, *more)

        write(logs, directory + "/stripped.txt", ask())
        write(logs, directory + "/expected-gdb.txt", with_debug_files(out, ask))
        if mode == "crash":
            apport(logs, lambda *commands: tool(*options, "-ex", "file ./ferry-pie", "-ex", "core-file " + name, *[part for command in commands for part in ("-ex", command)]))
            abrt(out, logs, directory)
            write(logs, directory + "/bt-full.txt", tool(*options, "-ex", "file ./ferry-pie", "-ex", "core-file " + name,
                                                         "-ex", "bt full", "-ex", "info proc mappings"))


def apport(logs, ask):
    """A report as apport's report.py writes it (`_write`, `add_gdb_info`): gdb's own words, made into the fields of a control file. `ask` asks gdb."""
    def answered(*commands):
        return ask("echo @@\\n", *commands).split("@@\n")[1].rstrip("\n")

    maps = []
    for start, end, offset, path in re.findall(r"^ +(0x\w+) +(0x\w+) +0x\w+ +(0x\w+) (/\S+)$", ask("info proc mappings"), re.M):
        # A core does not keep the permissions; the mappings of code are those that begin behind the first page and come second.
        permissions = "r-xp" if sum(row.endswith(path) for row in maps) == 1 else "r--p"
        maps.append(f"{int(start, 16):08x}-{int(end, 16):08x} {permissions} {int(offset, 16):08x} fe:00 1312340                    {path}")

    def signature_part(address):
        for row in maps:
            start, end = (int(value, 16) for value in row.split()[0].split("-"))
            if start <= int(address, 16) < end:
                return f"{row.split()[-1]}+{int(address, 16) - start:x}"
        return ""

    stack = answered("bt full")
    addresses = re.findall(r"^#\d+ +(0x\w+) in", stack, re.M)
    fields = [("ProblemType", "Crash"), ("Architecture", "amd64"), ("Date", "Mon Jan  1 00:00:00 2024"), ("DistroRelease", "Ubuntu 22.04"), ("ExecutablePath", f"{FOLDER}/ferry-pie"),
              ("ProcCmdline", "./ferry-pie crash"), ("ProcMaps", "\n" + "\n".join(maps)), ("ProcStatus", "\nName:\tferry-pie\nPid:\t14352"), ("Signal", "11"), ("SignalName", "SIGSEGV"),
              ("Title", "ferry-pie crashed with SIGSEGV")]
    added = [("Registers", "\n" + answered("info registers")), ("Disassembly", "\n" + answered("x/16i $pc")), ("Stacktrace", "\n" + stack),
             ("StacktraceAddressSignature", ":".join([f"{FOLDER}/ferry-pie", "11", *[signature_part(address) for address in addresses]])),
             ("ThreadStacktrace", "\n" + answered("thread apply all bt full"))]

    def report(fields):
        # An empty line of a value is a blank and a full stop.
        return "".join(f"{key}:{'' if value[0] == chr(10) else ' '}" + re.sub(r"\n(?=\n|$)", "\n .", value).replace("\n", "\n ").replace("\n  .\n", "\n .\n") + "\n" for key, value in fields)

    shutil.rmtree(os.path.join(logs, "apport"), ignore_errors=True)
    core_dump = "CoreDump: base64\n H4sICAAAAAAC/0NvcmVEdW1wAA==\n 7X0LfFTF1fjce3ezm2wS\n"
    write(logs, "apport/ferry/retraced.crash", report(sorted(fields[1:] + added, key=lambda field: field[0])).join(["ProblemType: Crash\n", core_dump]))
    write(logs, "apport/ferry/signature.crash", report(fields + added[3:4]) + core_dump)


def abrt(out, logs, stacks):
    """The same stacks as satyr has them (`sr_core_stacktrace_to_json`): addresses, build IDs, and the offsets from where the modules begin."""
    bases = {"ferry-pie": 0x555555554000, LIBRARY: 0x7ffff7fbb000}
    ids = {name: re.search(r"Build ID: (\w+)", symbolizer.run("readelf", "--notes", os.path.join(out, name))).group(1) for name in bases}
    with open(os.path.join(logs, stacks, "stripped.txt"), encoding="utf-8") as file:
        threads = re.split(r"^Thread (\d+) .*$", file.read(), flags=re.M)[1:]
    stacktrace = []
    for number, text in zip(threads[::2], threads[1::2]):
        frames = []
        for address, function, path in re.findall(r"^#\d+ +(0x\w+) in (\S+) \(\)(?: from (\S+))?$", text, re.M):
            path = path or f"{FOLDER}/ferry-pie"
            frame = {"address": int(address, 16)}
            name = os.path.basename(path)
            if name in bases:
                frame |= {"build_id": ids[name], "build_id_offset": int(address, 16) - bases[name]}
            if function != "??":
                frame["function_name"] = function
            frames.append(frame | {"file_name": path})
        stacktrace.append(({"crash_thread": True} if number == "1" else {}) | {"frames": frames})
    stacktrace.reverse()
    shutil.rmtree(os.path.join(logs, "abrt-json"), ignore_errors=True)
    report = {"signal": 11, "executable": f"{FOLDER}/ferry-pie", "only_crash_thread": False, "stacktrace": stacktrace}
    write(logs, "abrt-json/ferry/core_backtrace", json.dumps(report, indent=4) + "\n")


def raw(text):
    """The same samples as perf has printed them since Linux 6.4 with `-F +dsoff`: the address itself, and where in the file behind the file."""
    mappings = [(int(start, 16), int(size, 16), int(offset, 16), path) for start, size, offset, path in
                re.findall(r"\[0x(\w+)\(0x(\w+)\) @ (?:0x)?(\w+) .*\]: r-xp (/\S+)$", text, re.M)]

    def changed(row):
        offset, path = int(row.group(2), 16), row.group(4)
        for start, size, first, mapped in mappings:
            if mapped == path and first <= offset < first + size:
                return f"{row.group(1)}{start + offset - first:16x} {row.group(3)} ({path}+0x{offset:x})"
        raise SystemExit(f"fixtures: {row.group(0)}: in no mapping")

    samples = "\n".join(line for line in text.split("\n") if "PERF_RECORD" not in line)
    return re.sub(r"^(\t)( *\w+) (.*) \((/[^)]*)\)$", changed, samples, flags=re.M)


def perf(out, logs):
    directory = os.path.join("perf-script", "ferry")
    shutil.rmtree(os.path.join(logs, directory), ignore_errors=True)
    for way, graph in (("fp", "fp"), ("dwarf", "dwarf,4096")):
        subprocess.run(["setarch", "-R", "perf", "record", "-q", "-F", "149", "-e", "cpu-clock:u", "--call-graph", graph, "-o", "perf.data",
                        "./ferry-pie", "spin"], cwd=FOLDER, capture_output=True, check=True)
        fields = "comm,pid,tid,time,event,ip,sym,symoff,dso"

        def script(*more):
            return tool("perf", "--buildid-dir", "/nowhere", "script", "-i", "perf.data", "--show-mmap-events", "-F", fields, *more)

        text = script()
        write(logs, f"{directory}/{way}.txt", text)
        if way == "fp":
            write(logs, f"{directory}/raw.txt", raw(text))
            write(logs, f"{directory}/unmapped.txt", "\n".join(line for line in text.split("\n") if "PERF_RECORD" not in line))
        write(logs, f"{directory}/expected-{way}.txt", with_debug_files(out, script))
        write(logs, f"{directory}/expected-{way}-lines.txt", with_debug_files(out, lambda: tool(
            "perf", "--buildid-dir", "/nowhere", "script", "-i", "perf.data", "-F", fields + ",srcline", "--full-source-path")))


def main(out, logs):
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    for name in [*PROGRAMS, LIBRARY]:
        shutil.copy(os.path.join(out, name), FOLDER)
    glibc(out, logs)
    gdb(out, logs)
    perf(out, logs)
    shutil.rmtree(FOLDER)


main(*sys.argv[1:])
