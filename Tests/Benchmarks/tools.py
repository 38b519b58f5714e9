"""The tools that are measured. A new peer is one entry of `known`.

The first, cairn, is the base of every ratio; the toolchain's llvm-symbolizer is the judge of every answer.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

CAIRN = "cairn"
JUDGE = "llvm-symbolizer-21"
JUDGE_MAJOR = 21


@dataclass(frozen=True)
class Tool:
    name: str
    program: list[str]  # how it is called, before any argument; empty: not here
    lookup: list[str]  # arguments that make it answer standard input; OBJECT stands for the file
    dialect: str  # of its answers: see `answers.py`
    version: str = ""

    @property
    def present(self) -> bool:
        return bool(self.program)

    def lookup_command(self, object: Path) -> list[str]:
        return self.program + [argument.replace("OBJECT", str(object)) for argument in self.lookup]


BEFORE = "before"
"""The cairn that this one is compared with."""


def known(cache: Path, cairn: str, before: str = "") -> list[Tool]:
    """Every tool; `cairn` is the binary's path, empty to leave it out, `before` that of an earlier one."""
    swift = shutil.which("swift")
    beside_swift = str(Path(os.path.realpath(swift)).parent / "llvm-symbolizer") if swift else ""
    llvm = ["--obj=OBJECT", "--no-demangle", "--inlines"]
    gnu = ["-afi", "-e", "OBJECT"]
    symbolic = [cache / "symbolic/bin/python", Path(__file__).parent / "symbolic_lookup.py"]
    tools = [
        Tool(CAIRN, program(cairn), ["llvm-symbolizer", *llvm], "llvm"),
        *([Tool(BEFORE, program(before), ["llvm-symbolizer", *llvm], "llvm")] if before else []),
        Tool(JUDGE, program(beside_swift), llvm, "llvm"),
        Tool("llvm-symbolizer-19", program("llvm-symbolizer-19"), llvm, "llvm"),
        Tool("gimli-0.19", program(str(cache / "gimli-addr2line/target/release/gimli-addr2line")), ["OBJECT"], "llvm"),
        Tool("addr2line", program("addr2line"), gnu, "gnu"),
        Tool("eu-addr2line", program("eu-addr2line"), gnu, "gnu"),
        Tool("symbolic", [str(part) for part in symbolic] if symbolic[0].exists() else [], ["OBJECT"], "llvm"),
    ]
    return [Tool(tool.name, tool.program, tool.lookup, tool.dialect, version(tool)) for tool in tools]


def program(name: str) -> list[str]:
    path = shutil.which(name) if name else None
    return [path] if path else []


def version(tool: Tool) -> str:
    """The version that the tool names itself, on one line."""
    if not tool.present:
        return ""
    if tool.name == "symbolic":
        command = [tool.program[0], "-c", "import importlib.metadata as m; print('symbolic', m.version('symbolic'))"]
    elif tool.name.startswith("gimli"):
        return "addr2line crate 0.19"
    else:
        command = tool.program + ["--version"]
    lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    return next((line.strip() for line in lines if re.search(r"\d", line)), "unknown")


def check_judge(tools: list[Tool]) -> Tool:
    """The judge, or the end: another version's answers are not the ones we are measured against."""
    judge = next(tool for tool in tools if tool.name == JUDGE)
    if not judge.present:
        sys.exit("bench: no llvm-symbolizer beside `swift`: expected a Swift toolchain in PATH")
    found = re.search(r"LLVM version (\d+)", judge.version)
    if not found or int(found.group(1)) != JUDGE_MAJOR:
        sys.exit(f"bench: {judge.program[0]}: {judge.version}: expected LLVM version {JUDGE_MAJOR}")
    return judge
