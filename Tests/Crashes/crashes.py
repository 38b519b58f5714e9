"""What scripts/checks/verify-crashes and scripts/checks/verify-bases share: the truth in the sources' comments, how cairn is run, and what its answers are held against."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PROGRAMS = FOLDER / "programs"
ROOT = FOLDER.parent.parent


class Truth:
    """The stacks that a source's comments tell: `STACK case: f g | h main:case`, innermost first; `|` stands for the rows of libc between a handler and what it interrupted."""

    def __init__(self, source):
        self.source = Path(source).name
        self.places, self.stacks = {}, {}
        for number, line in enumerate(Path(source).read_text().splitlines(), 1):
            if found := re.search(r"(?:/\*|//) (?:CRASH|CALL) ([\w:-]+)(?: \*/)?$", line):
                self.places.setdefault(found[1], set()).add(number)
            if found := re.search(r"// (STACK|ALLOCATED|PANIC) ([\w-]+): (.+)$", line):
                self.stacks.setdefault(found[1], {})[found[2]] = found[3].replace("|", " ").split()
        for stacks in self.stacks.values():
            for case, stack in stacks.items():
                for mark in stack:
                    assert mark in self.places, f"{self.source}: no line is marked {mark}, which {case} names"

    def cases(self, kind="STACK"):
        return list(self.stacks.get(kind, {}))

    def expected(self, case, kind="STACK"):
        """(function, the lines that may be meant) of each call. Two lines are there where the preprocessor takes one of two functions."""
        return [(mark.split(":")[0], self.places[mark]) for mark in self.stacks[kind][case]]


def plain(name):
    """A function's name without its arguments, the scope that it is in, and what compilers add."""
    name = re.sub(r"(\.(cold|part|isra|constprop)(\.\d+)?|(?<=main)_impl)$", "", name)
    # A symbol's version: __libc_start_main@GLIBC_2.2.5.
    name = name.split("@")[0]
    name = re.sub(r"^(static|specialized|closure #\d+ in) ", "", name)
    name = name.split("(")[0].split(" in ")[0].split("<")[0]
    parts = [part for part in re.split(r"::|\.", name) if not re.fullmatch(r"h[0-9a-f]{16}", part)]
    return parts[-1] if parts else name


class Tools:
    """The program that is tested, and how it is called: nothing of the user's settings counts."""

    def __init__(self, cairn):
        self.cairn = str(Path(cairn).resolve())
        self.environment = {key: value for key, value in os.environ.items() if key not in ("CAIRN_SYMBOLS", "NO_COLOR", "DEBUGINFOD_URLS")}
        self.environment |= {"XDG_CONFIG_HOME": "/nonexistent"}

    def run(self, arguments, folder=None, data=None, environment=None):
        return subprocess.run(
            [str(argument) for argument in arguments], cwd=folder, input=data, capture_output=True, env=self.environment | (environment or {}), timeout=120)

    def reports(self, *arguments, folder=None, data=None):
        """The reports of `cairn … --format json`."""
        done = self.run([self.cairn, "--format", "json", "-q", *arguments], folder, data)
        text = done.stdout.decode(errors="replace")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def threads(report):
    return report.get("threads", []) + report.get("additionalBacktraces", [])


def calls(frames):
    """(function, file's name, line) of each call of frames, innermost first; `None` for a frame without an answer."""
    for frame in frames:
        if frame.get("inlined"):
            continue
        functions = frame.get("functions")
        if not functions:
            yield None, frame, 0
        for function in functions or []:
            yield function["name"], Path(function.get("file") or "").name, function.get("line", 0)


def is_of(report, frame, name):
    """Whether a frame's image is called so."""
    image = frame.get("image")
    return image is not None and Path(report["images"][image]["name"]).name == name


def compare(found, expected, source):
    """What is wrong in `found`, (function, file, line) of a source's calls, against `expected`; nothing if all is as it should be. The frames that call `main` may follow."""
    own = [(plain(name), line) for name, file, line in found if name is not None and file == source]
    problems = []
    for index, (function, lines) in enumerate(expected):
        if index >= len(own):
            return problems + [f"no answer for {function}"]
        name, line = own[index]
        if name != function or line not in lines:
            problems.append(f"{name}:{line} where {function}:{'|'.join(map(str, sorted(lines)))} is true")
        if name != function:
            # What follows may be a row further on.
            return problems
    extra = [name for name, line in own[len(expected):] if name not in ("main", "$main", "_start")]
    return problems + [f"{name} is no call of this stack" for name in extra]


ROW_ANSWER = re.compile(r"(?:^| )(?:\(inlined by\) )?(\S[^\]\[]*?) (?:at|in) (\S+?):(\d+)(?::\d+)?$")


def answered_rows(text, source):
    """(function, file, line) of rows that cairn wrote into a text."""
    for line in text.splitlines():
        tail = line.rsplit("] ", 1)[-1].strip() if "] " in line else line.strip()
        if found := ROW_ANSWER.search(tail):
            yield found[1].removeprefix("(inlined by) "), Path(found[2]).name, int(found[3])
        elif "(" in tail and (found := re.search(r"(\S+) \(?(\S*/)?" + re.escape(source) + r":(\d+)", tail)):
            yield found[1], source, int(found[3])


def build(command, folder=None, environment=None):
    """Whether a program could be built; the last line of what the compiler says where not."""
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, capture_output=True, text=True, env=os.environ | (environment or {}), timeout=600)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return (next((line for line in lines if "error" in line.lower()), None) or (lines or ["no word"])[-1])[:200]



def set_debug_aside(program, prefix=""):
    """Leaves the program stripped, and its debug information in PROGRAM.debug beside it, which the program names."""
    debug = Path(f"{program}.debug")
    for command in (
        [prefix + "objcopy", "--only-keep-debug", program, debug],
        [prefix + "strip", "--strip-all", program],
        [prefix + "objcopy", f"--add-gnu-debuglink={debug.name}", Path(program).name],
    ):
        subprocess.run([str(word) for word in command], check=True, cwd=Path(program).parent, capture_output=True)


def mapped(path, name="a"):
    """The addresses between which a program lies, by its memory map. (The heap may come first in it.)"""
    own = [words for line in Path(path).read_text().splitlines() if len(words := line.split()) > 5 and Path(words[-1]).name == name]
    return int(own[0][0].split("-")[0], 16), int(own[-1][0].split("-")[1], 16)


def swift_names(names):
    """Swift's names as they are read."""
    demangler = toolchain("swift-demangle")
    if not any(name.startswith("$s") for name in names) or not demangler:
        return names
    done = subprocess.run([demangler, "--simplified", "--compact", *names], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else names


class Tally:
    """One line a combination, and their number in the end."""

    def __init__(self, name, verbose=False):
        self.name, self.passed, self.failed, self.skipped, self.verbose = name, 0, 0, 0, verbose

    def result(self, what, problems):
        if problems:
            self.failed += 1
        else:
            self.passed += 1
        print(f"{'FAIL' if problems else 'ok  '}  {what}", flush=True)
        for problem in problems if self.verbose else problems[:3]:
            print(f"        {problem}")
        if len(problems) > 3 and not self.verbose:
            print(f"        … and {len(problems) - 3} more (--verbose shows them)")

    def skip(self, what, why):
        self.skipped += 1
        print(f"skip  {what}: {why}", flush=True)

    def end(self):
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.name}: {self.passed} passed, {self.failed} failed{skipped}")
        return 1 if self.failed else 0


def find_cairn():
    """$CAIRN_BINARY, else the release build's; None where there is none."""
    if path := os.environ.get("CAIRN_BINARY"):
        return path
    for path in sorted(ROOT.glob(".build/*/release/cairn")) + [ROOT / ".build/debug/cairn"]:
        if path.is_file():
            return path
    return None


def toolchain(name):
    """The path of a program of the Swift toolchain, which is beside `swift`; None where it has none of this name. A plain `clang` in PATH may be any."""
    program = Path(os.path.realpath(shutil.which("swift") or "/")).parent / name
    return str(program) if program.exists() else None
