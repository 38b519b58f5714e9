"""The programs of scripts/checks/verify-run: how each is built, which ways to crash a language lacks and why, and how a program is run and held against its source's comments."""
import os
import re
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import crashes
from crashes import plain

SOURCES = Path(__file__).resolve().parent / "run"
CASES = ["segv", "call", "abort", "assert", "exception", "free", "overflow", "fpe", "bus", "trap", "smash", "thread", "child", "fork", "library"]
# The runtimes print no stacks of their own, and Go's panics end by a signal.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("CAIRN_SYMBOLS", "DEBUGINFOD_URLS")} | {
    "XDG_CONFIG_HOME": "/nonexistent", "SWIFT_BACKTRACE": "enable=no", "RUST_BACKTRACE": "0", "GOTRACEBACK": "crash", "LC_ALL": "C"}


def marked_lines(*sources):
    """{case: (function, file name, line)} of the comments `// CRASH case, case: function`."""
    found = {}
    for source in sources:
        for number, line in enumerate(source.read_text().splitlines(), 1):
            if comment := re.search(r"// CRASH ([\w, ]+): (\w+)$", line):
                found |= {case: (comment[2], source.name, number) for case in comment[1].split(", ")}
    return found


@dataclass
class Build:
    """A program built in one way: the commands, and the cases that it cannot have, each with its reason."""
    language: str
    kind: str
    commands: list
    sources: list
    lacks: dict = field(default_factory=dict)
    # Cases whose instruction has no line.
    lineless: list = field(default_factory=list)
    # Left out altogether, and why.
    missing: str = ""

    @property
    def name(self):
        return f"{self.language} {self.kind}"

    def expected(self):
        """{case: (function, file name, line)}."""
        found = marked_lines(*[source for source in self.sources if source.exists()])
        return found | {case: (*found[case][:2], 0) for case in self.lineless}


# A debug file of its own, which the program names (.gnu_debuglink).
SPLIT = """for file in "$@"; do
    objcopy --only-keep-debug "$file" "$file.debug"
    objcopy --strip-all --add-gnu-debuglink="$file.debug" "$file"
done"""
KINDS = ["O0", "O2", "static", "stripped"]


def c_builds():
    clang = shutil.which("clang-19") or crashes.toolchain("clang") or "clang"
    clang_plus = shutil.which("clang++-19") or crashes.toolchain("clang++") or "clang++"
    for language, compiler in [("gcc", ["gcc"]), ("g++", ["g++", "-x", "c++"]), ("clang", [clang]), ("clang++", [clang_plus, "-x", "c++"])]:
        for kind in KINDS:
            command = [*compiler, "-O0" if kind == "O0" else "-O2", "-g", "-w", "-pthread", "-fstack-protector-strong"]
            lacks = {} if "++" in language else {"exception": "C has no exceptions"}
            commands = [[*command, *(["-static"] if kind == "static" else []), SOURCES / "crash.c", "-o", "crash"]]
            if kind == "static":
                lacks["library"] = "a static program opens no library"
            else:
                commands.append([*command, "-shared", "-fPIC", SOURCES / "library.c", "-o", "library.so"])
            # clang gives the call of __stack_chk_fail no line: addr2line prints `crash.c:?`.
            yield Build(language, kind, commands, [SOURCES / "crash.c", SOURCES / "library.c"], lacks, lineless=["smash"] if "clang" in language else [])


def rust_builds():
    lacks = {"smash": "the stable compiler has no stack protector"}
    for kind in KINDS:
        command = ["rustc", "--edition", "2021", "-g", "-Cpanic=abort", f"-Copt-level={0 if kind == 'O0' else 2}"]
        commands = [[*command, *(["-Ctarget-feature=+crt-static"] if kind == "static" else []), SOURCES / "crash.rs", "-o", "crash"]]
        if kind != "static":
            commands.append([*command, "--crate-type=cdylib", SOURCES / "library.rs", "-o", "library.so"])
        yield Build("rustc", kind, commands, [SOURCES / "crash.rs", SOURCES / "library.rs"], lacks | ({"library": "a static program opens no library"} if kind == "static" else {}))


def swift_builds():
    lacks = {"smash": "no language construct writes beyond a local array", "fpe": "a division by zero is a trap"}
    for kind in KINDS:
        command = ["swiftc", "-parse-as-library", "-g", "-Onone" if kind == "O0" else "-O"]
        commands = [[*command, *(["-static-executable"] if kind == "static" else []), SOURCES / "crash.swift", "-o", "crash"]]
        if kind != "static":
            commands.append([*command, "-emit-library", SOURCES / "library.swift", "-o", "library.so"])
        yield Build("swiftc", kind, commands, [SOURCES / "crash.swift", SOURCES / "library.swift"], lacks | ({"library": "a static program opens no library"} if kind == "static" else {}))


def go_builds():
    lacks = {
        "assert": "Go has no assertions", "free": "memory is collected", "smash": "indexes are checked: a panic", "fork": "Go has no fork without exec",
        "library": "plugins share Go's runtime: the same as a function of the program"}
    for kind in KINDS:
        flags = ["-gcflags=all=-N -l"] if kind == "O0" else []
        command = ["env", "CGO_ENABLED=0", "GO111MODULE=off", "GOCACHE=" + str(Path(tempfile.gettempdir()) / "cairn-go-cache"), "go", "build", *flags, "-o", "crash", SOURCES / "crash.go"]
        missing = "Go's programs are static in every build" if kind == "static" else "" if shutil.which("go") else "no go here"
        yield Build("go", kind, [command], [SOURCES / "crash.go"], lacks, missing=missing)


def builds():
    for build in [*c_builds(), *rust_builds(), *swift_builds(), *go_builds()]:
        if build.kind == "stripped":
            files = ["crash"] if build.language == "go" else ["crash", "library.so"]
            build.commands.append(["sh", "-ec", SPLIT, "sh", *files])
        yield build


def make(build, folder):
    """Compiles it in a folder of its own, which it returns; a reason, if that is not possible here."""
    if build.missing:
        return None, build.missing
    directory = folder / build.name.replace(" ", "_")
    directory.mkdir(parents=True, exist_ok=True)
    if (directory / "built").exists():
        return directory, ""
    for command in build.commands:
        if not shutil.which(command[0]):
            return None, f"no {command[0]} here"
        done = subprocess.run([str(word) for word in command], cwd=directory, capture_output=True, text=True)
        if done.returncode:
            return None, f"{command[0]} fails: {' '.join(done.stderr.split())[:160]}"
    (directory / "built").touch()
    return directory, ""


@dataclass
class Result:
    status: int
    output: bytes
    errors: str
    # Files that were not there before.
    left: list


def run(directory, arguments, unlimited=False, cairn=None, prefix=(), folder=None, **options):
    """Runs the program in a folder with links to the build's files, by cairn or alone."""
    with tempfile.TemporaryDirectory(prefix="cairn-run.", dir=folder) as temporary:
        own = Path(temporary)
        for file in directory.iterdir():
            if file.name != "built":
                os.link(file, own / file.name)
        before = {file.name for file in own.iterdir()}

        def prepare():
            most = resource.RLIM_INFINITY if unlimited else 0
            resource.setrlimit(resource.RLIMIT_CORE, (most, resource.RLIM_INFINITY))

        command = [*prefix, *([cairn, "run"] if cairn else []), "./crash", *arguments]
        done = subprocess.run(
            [str(word) for word in command], cwd=own, env=ENVIRONMENT | options.pop("environment", {}), preexec_fn=prepare, capture_output=True, timeout=120,
            **({"stdin": subprocess.DEVNULL} if "input" not in options else {}), **options)
        # The kernel writes a core before it reports the end of its process.
        return Result(done.returncode, done.stdout, done.stderr.decode(errors="replace"), sorted({file.name for file in own.iterdir()} - before))


ROW = re.compile(r"^(?:\d+|\.\.\.)\s+(?:\S+\s+0x[0-9a-f]+|frames [\d,]+ to [\d,]+:|\s*inlined)?\s*(.*?)(?: \+ \d+)? \((/[^\s:]+)(?::(\d+))?\)")


def faults_of(result, expected):
    """The faults of a run's report: there must be one, and its own code must be the marked function and line, in the sentence and in the stack."""
    function, file, line = expected
    faults = []
    reports = re.findall(r"^Process:", result.errors, re.M)
    if len(reports) != 1:
        faults.append(f"{len(reports)} reports: {result.errors.strip()[-200:]!r}")
        return faults
    text = result.errors[result.errors.index("\nProcess:"):]
    own = re.search(r"^Your code:\s+(.*?) in \S+ \((/[^\s:]+)(?::(\d+))?\)", text, re.M)
    location = (plain(own[1]), Path(own[2]).name, int(own[3] or 0)) if own else None
    if location != expected:
        faults.append(f"its own code is {location}, and not {expected}")
    rows = [found for found in map(ROW.match, text.splitlines()) if found and Path(found[2]).parent == SOURCES]
    first = (plain(rows[0][1]), Path(rows[0][2]).name, int(rows[0][3] or 0)) if rows else None
    if first != expected:
        faults.append(f"its first row is {first}, and not {expected}")
    return faults
