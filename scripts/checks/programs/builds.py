"""The builds of the programs: languages, compilers, levels, linkers, and what is done to a program afterwards."""
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from . import cee

HERE = Path(__file__).resolve().parent
PROBE = {}


@dataclass
class Build:
    name: str
    language: str
    compiler: str
    flags: list
    # Whether the compiler may merge calls.
    optimized: bool = True
    # "full": functions, files and lines. "symbols": the functions of frames, from .symtab. "dynamic": from .dynsym.
    mode: str = "full"
    after: list = field(default_factory=list)
    # Whether functions of the language's library are inlined, which are left out.
    library: bool = False

    def is_short(self, name, row, comparison):
        """Whether a function's name is there without what it is in, because the debug information has no more."""
        return False

    @property
    def gnu(self):
        return self.compiler.startswith("g")


def plain(name):
    """A C++ function without its arguments and its result: `int app::sort<int>(int)` is `app::sort<int>`."""
    name = name.replace("(anonymous namespace)", "\1")
    found, depth = "", 0
    for letter in name.replace("operator()", "\2"):
        depth += letter == "("
        if depth == 0:
            found += letter
        depth -= letter == ")"
    found = re.sub(r" (const|\[.*\])$", "", found.strip())
    # A result is before a space that is in no template's arguments.
    depth, start = 0, 0
    for at, letter in enumerate(found):
        depth += (letter in "<{") - (letter in ">}")
        if letter == " " and depth == 0:
            start = at + 1
    return found[start:].replace("\1", "(anonymous namespace)").replace("\2", "operator()")


def lambdas(name):
    """LLVM's numbers of lambdas, as GNU writes them: 'lambda' is the first, 'lambda0' the second."""
    return re.sub(r"'lambda(\d*)'", lambda found: f"{{lambda#{int(found[1]) + 2 if found[1] else 1}}}", name)


class Cee(Build):
    def make(self, random, folder):
        return cee.program(random, self.language == "C++", nested=self.gnu and self.language == "C")

    def compile(self, run, folder, source):
        units = sorted(name for name in source.files if not name.endswith(".h"))
        run([self.compiler, "-w", "-Iinclude", f"-I{HERE}", *self.flags, *units, PROBE["probe"], "-o", "program"], folder)
        return folder / "program"

    def strip(self, run, folder, program):
        return program

    def is_short(self, name, row, comparison):
        # GCC writes no linkage name for functions of one file, and then LLVM's tools, and cairn in their place, have the name alone.
        if self.compiler == "g++":
            return name.split("::")[-1] == row[0] and not comparison.has_linkage_name(row)
        # In a function that only its file can call, clang numbers the lambdas of the file.
        return re.sub(r"\{lambda#\d+\}", "$_", name) == re.sub(r"\$_\d+", "$_", row[0]) != row[0]

    def plain(self, name):
        # GNU C's nested functions have a number behind their name.
        return lambdas(plain(name)) if self.language == "C++" else re.sub(r"^(nested_\d+)\.\d+$", r"\1", name)


def all_builds():
    builds = []
    for language, compilers in (("C", ["gcc", "clang-19", "clang"]), ("C++", ["g++", "clang++-19", "clang++"])):
        for compiler in compilers:
            for number, level in enumerate(["-O0", "-O1", "-O2", "-O3", "-Os"]):
                version = "-gdwarf-4" if number % 2 else "-gdwarf-5"
                builds.append(Cee(f"{language} {compiler} {level}", language, compiler, [level, version], optimized=level != "-O0"))
    return builds


def installed():
    """The builds whose compiler is there, and the compilers that are not."""
    builds = all_builds()
    missing = sorted({build.compiler for build in builds if shutil.which(build.compiler) is None})
    return [build for build in builds if build.compiler not in missing], missing


def prepare(run, folder):
    """Compiles the probe, which has no debug information."""
    folder.mkdir(parents=True, exist_ok=True)
    run(["gcc", "-c", "-O1", "-fPIC", HERE / "probe.c", "-o", folder / "probe.o"], folder)
    PROBE["probe"] = folder / "probe.o"
