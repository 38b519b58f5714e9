"""The builds of the programs: languages, compilers, levels, linkers, and what is done to a program afterwards."""
import os
import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from . import cee, fortran, golang, ocaml, rust, swift

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

    def strip(self, run, folder, program):
        return program

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

    def is_short(self, name, row, comparison):
        # GCC writes no linkage name for functions of one file, and then LLVM's tools, and cairn in their place, have the name alone.
        if self.compiler == "g++":
            return name.split("::")[-1] == row[0] and not comparison.has_linkage_name(row)
        # In a function that only its file can call, clang numbers the lambdas of the file.
        return re.sub(r"\{lambda#\d+\}", "$_", name) == re.sub(r"\$_\d+", "$_", row[0]) != row[0]

    def plain(self, name):
        # GNU C's nested functions have a number behind their name.
        return lambdas(plain(name)) if self.language == "C++" else re.sub(r"^(nested_\d+)\.\d+$", r"\1", name)


def without_arguments(name):
    """A name of Rust's without the arguments of generic functions: `f::<i32>` is `f`."""
    found, depth, at = "", 0, 0
    while at < len(name):
        if name.startswith("::<", at):
            depth, at = depth + 1, at + 3
            while at < len(name) and depth:
                depth += (name[at] == "<") - (name[at] == ">" and name[at - 1] != "-")
                at += 1
            continue
        found += name[at]
        at += 1
    return found


class Rust(Build):
    def make(self, random, folder):
        return rust.program(random)

    def compile(self, run, folder, source):
        run(["rustc", "--edition=2024", "-g", *self.flags, "source/main.rs", "--crate-name", "program", f"-Clink-arg={PROBE['probe']}", "-o", "program"], folder)
        return folder / "program"

    def plain(self, name):
        name = re.sub(r"::h[0-9a-f]{16}$", "", re.sub(r"\{closure#\d+\}", "{{closure}}", re.sub(r"\[[0-9a-f]+\]", "", name)))
        # In the newer mangling, a type's own functions are of `<Type>`.
        return re.sub(r"^<([^<> ]+)>::", r"\1::", without_arguments(name))


def without_groups(name, opened="(", closed=")"):
    """A text without what is in parentheses."""
    found, depth = "", 0
    for at, letter in enumerate(name):
        depth += letter == opened
        found += letter if depth == 0 else ""
        depth -= letter == closed and depth > 0 and name[at - 1] != "-"
    return found


class Swift(Build):
    def make(self, random, folder):
        return swift.program(random)

    def compile(self, run, folder, source):
        (folder / "facts").mkdir()
        shutil.copy(HERE / "facts.h", folder / "facts")
        (folder / "facts" / "module.modulemap").write_text('module Facts {\n    header "facts.h"\n    export *\n}\n')
        run(["swiftc", "-g", "-suppress-warnings", "-Xlinker", "--build-id", *self.flags, "-module-name", "program", "-I", "facts", "-module-cache-path", PROBE["probe"].parent / "modules", *sorted(source.files), PROBE["probe"], "-o", "program"], folder)
        return folder / "program"

    def plain(self, name):
        """`specialized sort<A>(A) -> Int` is `sort`."""
        name = re.sub(r"\((\w+) in _[0-9A-F]+\)", r"\1", name)
        while found := re.match(r"(specialized|merged|outlined|(function signature|generic|closure) specialization <.*?> of) ", name):
            name = name[found.end():]
        parts = re.split(r" in (?=closure #|\S+ #\d|[^ ]+$)", name)
        return " in ".join(re.split(r" -> | : |  ", without_groups(without_groups(part), "<", ">"))[0].replace(" throws", "").strip() for part in parts)


class Fortran(Build):
    def make(self, random, folder):
        return fortran.program(random)

    def compile(self, run, folder, source):
        run(["gfortran", "-g", "-w", *self.flags, *source.order, PROBE["probe"], "-o", "program"], folder)
        return folder / "program"

    def is_short(self, name, row, comparison):
        # GCC writes no linkage name for private functions.
        return name.split("::")[-1] == row[0] and not comparison.has_linkage_name(row)

    def plain(self, name):
        """The function sort of the module shared has the symbol `__shared_MOD_sort`, a main program `MAIN__`; those inside of others are numbered."""
        if name == "MAIN__":
            return "start"
        return re.sub(r"^(nested_\d+)\.\d+$", r"\1", re.sub(r"^__(\w+?)_MOD_(\w+)$", r"\1::\2", name))


class OCaml(Build):
    def make(self, random, folder):
        return ocaml.program(random)

    def compile(self, run, folder, source):
        run(["ocamlopt", "-g", "-w", "-a", *self.flags, PROBE["probe"], *source.order, "-o", "program"], folder)
        return folder / "program"

    def plain(self, name):
        """The function sort of the module Shared has a symbol like `camlShared__sort_271`."""
        return re.sub(r"^caml([A-Z]\w*?)__(\w+?)(_\d+)?$", r"\1.\2", name)


class Go(Build):
    def make(self, random, folder):
        return golang.program(random)

    def compile(self, run, folder, source):
        run(["go", "build", *self.flags, "-o", "program", "."], folder, env=os.environ | {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0"})
        return folder / "program"

    def plain(self, name):
        # The runtime writes `[...]` for the arguments of a generic function, and leaves out which ABI an assembly function has.
        return re.sub(r"\.abi0$", "", re.sub(r"\[.*\]", "[...]", name))


def all_builds():
    builds = []
    for name, flags in (("default", []), ("unsafe", ["-unsafe", "-inline", "100"]), ("pie", ["-ccopt", "-pie"])):
        builds.append(OCaml(f"OCaml ocamlopt {name}", "OCaml", "ocamlopt", flags, optimized=False, library=True))
    for flags in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-flto"]):
        builds.append(Fortran(f"Fortran gfortran {' '.join(flags)}", "Fortran", "gfortran", flags, optimized="-O0" not in flags))
    for name, flags in (("default", []), ("no-inlining", ["-gcflags=-l"]), ("no-optimization", ["-gcflags=-N"]), ("trimpath", ["-trimpath"]), ("pie", ["-buildmode=pie"]), ("no-dwarf", ["-ldflags=-w"]), ("stripped", ["-ldflags=-s -w"])):
        builds.append(Go(f"Go go {name}", "Go", "go", flags, optimized=False))
    for level in [["-Onone"], ["-O"], ["-Osize"], ["-O", "-wmo"], ["-Osize", "-wmo"], ["-Onone", "-wmo"]]:
        builds.append(Swift(f"Swift swiftc {' '.join(level)}", "Swift", "swiftc", level, optimized="-Onone" not in level, library=True))
    for level in ["0", "1", "2", "3", "s"]:
        for mangling in ["legacy", "v0"]:
            flags = ["-Csymbol-mangling-version=v0", "-Ccodegen-units=1"] if mangling == "v0" else []
            builds.append(Rust(f"Rust rustc -{level} {mangling}", "Rust", "rustc", [f"-Copt-level={level}", *flags], optimized=level != "0", library=True))
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
