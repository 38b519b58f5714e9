"""The builds of the programs: languages, compilers, levels, linkers, and what is done to a program afterwards."""
import os
import re
import shutil
import subprocess
import threading
from dataclasses import dataclass, field
from pathlib import Path

from . import ada, cee, dlang, fortran, golang, nim, ocaml, rust, swift, zig

HERE = Path(__file__).resolve().parent
PROBE = {}


def with_debug_link(run, folder, program):
    run(["objcopy", "--only-keep-debug", program, "program.debug"], folder)
    run(["strip", "--strip-unneeded", program], folder)
    run(["objcopy", "--add-gnu-debuglink=program.debug", program], folder)


def packed(run, folder, program):
    """Packs the .dwo files into one .dwp file beside the program."""
    run(["llvm-dwp-19", "-e", program, "-o", f"{program}.dwp"], folder)
    for file in folder.rglob("*.dwo"):
        file.unlink()


def shared_by_dwz(run, folder, program):
    """Moves what two programs have in common to a third file."""
    shutil.copy(program, folder / "copy")
    run(["dwz", "-m", "common.debug", program, "copy"], folder)


STEPS = {
    "symbols": lambda run, folder, program: run(["strip", "--strip-debug", program], folder),
    "dynamic": lambda run, folder, program: run(["strip", "--strip-all", program], folder),
    "link": with_debug_link,
    "dwp": packed,
    "dwz": lambda run, folder, program: run(["dwz", program], folder),
    "dwz-common": shared_by_dwz,
    "zlib": lambda run, folder, program: run(["objcopy", "--compress-debug-sections=zlib", program], folder),
    "zlib-gnu": lambda run, folder, program: run(["objcopy", "--compress-debug-sections=zlib-gnu", program], folder),
    "zstd": lambda run, folder, program: run(["llvm-objcopy-19", "--compress-debug-sections=zstd", program], folder),
}
# The programs that flags and steps need.
TOOLS = {"dwp": "llvm-dwp-19", "dwz": "dwz", "dwz-common": "dwz", "zstd": "llvm-objcopy-19", "-fuse-ld=gold": "ld.gold", "-fuse-ld=lld": "ld.lld", "-fuse-ld=mold": "mold", "-Clink-arg=-fuse-ld=lld": "ld.lld", "-Clink-arg=-fuse-ld=mold": "mold", "-linker=lld": "ld.lld", "-linker=mold": "mold", "--clang.exe:clang-19": "clang-19"}


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

    def told(self, name):
        """A function's name as the program tells it, in the form of `plain`."""
        return name

    def in_log(self, name):
        """The name that `cairn symbolicate` shows, as far as it is compared; `name` is its or that of `cairn llvm-symbolizer`."""
        return self.plain(name)

    def behind_thunk(self, name):
        """The function that a thunk with this symbol calls, which compilers inline into it; nothing where it is no thunk."""
        return None

    def is_made(self, row, inner):
        """Whether a function is one that the compiler made, of which the program knows nothing; `inner` is the function that it calls, if that is known. Both are without the endings of copies."""
        return False

    def moved(self, folder, source):
        """The lines that a compiler has for calls in place of their own: path, line, and the other lines."""
        return {}

    def is_short(self, name, row, comparison):
        """Whether a function's name is there without what it is in, because the debug information has no more."""
        return False

    def strip(self, run, folder, program):
        """Does to a program what is done to it before it is installed."""
        for step in self.after:
            STEPS[step](run, folder, program)
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
        run([self.compiler, "-w", "-Iinclude", f"-I{HERE}", *(flag.replace("FOLDER", str(folder)) for flag in self.flags), *units, PROBE["probe"], "-o", "program"], folder)
        return folder / "program"

    def is_short(self, name, row, comparison):
        # GCC writes no linkage name for functions of one file, clang none with -gline-tables-only; then LLVM's tools and cairn have the name alone.
        if name.split("::")[-1] == row[0]:
            return not comparison.has_linkage_name(row)
        # In a function that only its file can call, clang numbers the lambdas of the file.
        return re.sub(r"\{lambda#\d+\}", "$_", name) == re.sub(r"\$_\d+", "$_", row[0]) != row[0]

    def plain(self, name):
        # GNU C's nested functions have a number after their name.
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
        run(["rustc", "--edition=2024", *([] if any("debuginfo=" in flag and "split" not in flag for flag in self.flags) else ["-g"]), *self.flags, "source/main.rs", "--crate-name", "program", f"-Clink-arg={PROBE['probe']}", "-o", "program"], folder)
        return folder / "program"

    def is_short(self, name, row, comparison):
        # With line tables only, rustc writes no linkage names.
        return re.sub(r"<.*>", "", name.split("::")[-1]) == re.sub(r"<.*>", "", row[0]) and not comparison.has_linkage_name(row)

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
        """The function sort of the module Shared has a symbol like `camlShared__sort_271`; what the module does itself is `camlShared__entry`, which OCaml's own backtraces call Shared. One without a name is `Shared.fun_276`."""
        return re.sub(r"\.entry$|(?<=\.fun)_\d+$", "", re.sub(r"^caml([A-Z]\w*)__(\w+?)(_\d+)?$", r"\1.\2", name))


class Zig(Build):
    def make(self, random, folder):
        return zig.program(random, by_frame_pointers="-fno-llvm" in self.flags)

    def compile(self, run, folder, source):
        run(["zig", "build-exe", "main.zig", PROBE["probe"], "-lc", "-lunwind", "-fno-strip", "-fno-omit-frame-pointer", "--name", "program", *self.flags], folder)
        return folder / "program"

    def is_short(self, name, row, comparison):
        # Zig's own backend writes no linkage names for functions that it inlines.
        return name.split(".")[-1] == row[0] and not comparison.has_linkage_name(row)

    def plain(self, name):
        """Instances of generic functions are numbered: `main.sort__anon_2265`."""
        return re.sub(r"__anon_\d+$", "", name)


class Demangler:
    """A program that reads mangled names, one a line, and prints each as its language has it."""

    def __init__(self, command):
        self.lock, self.command, self.process, self.known = threading.Lock(), command, None, {}

    def read(self, name):
        with self.lock:
            if name not in self.known:
                self.process = self.process or subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
                self.process.stdin.write(name + "\n")
                self.process.stdin.flush()
                self.known[name] = self.process.stdout.readline().rstrip("\n")
            return self.known[name]


# D's own demangler, which its runtime has for its backtraces.
CORE_DEMANGLE = """module names;
import core.demangle, std.stdio;
void main()
{
    foreach (line; stdin.byLine)
    {
        writeln(line == "_Dmain" ? "D main" : demangle(line));
        stdout.flush();
    }
}
"""


def core_demangle():
    folder = PROBE["probe"].parent
    (folder / "names.d").write_text(CORE_DEMANGLE)
    command = ["gdc", "names.d", "-o", "names"] if shutil.which("gdc") else ["ldc2", "names.d", "-of=names"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return [folder / "names"]


DEMANGLERS = {"D": Demangler(core_demangle), "Ada": Demangler(lambda: ["c++filt", "--format=gnat"])}


class D(Build):
    def make(self, random, folder):
        return dlang.program(random)

    def compile(self, run, folder, source):
        output = ["-of=program", "-od=objects"] if self.compiler == "ldc2" else ["-o", "program"]
        run([self.compiler, *([] if "-gline-tables-only" in self.flags else ["-g"]), *self.flags, "-I.", *sorted(source.files), PROBE["probe"], *output], folder)
        return folder / "program"

    def in_log(self, name):
        return DEMANGLERS["D"].read(name) if name.startswith("_D") else name

    def behind_thunk(self, name):
        # Of an interface's functions, with what is added to the object: GCC's `_DTi16_D4shop4sellFZv`, LLVM's `_DThn16_4shop4sellFZv`.
        found = re.match(r"_DT(?:i\d+_D|hn\d+_)(.*)$", name)
        return self.plain("_D" + found[1]) if found else None

    def told(self, name):
        """`shop.sort!int.sort` without the arguments: `shop.sort.sort`."""
        return re.sub(r"!\w+", "", without_groups(re.sub(r'!"[^"]*"', "", name))).replace("!", "")

    def is_short(self, name, row, comparison):
        # GCC writes no linkage name for functions inside of others.
        return name.split(".")[-1] == row[0] and not comparison.has_linkage_name(row)

    def plain(self, name):
        """`pure int shop.sell(int).inner(int)` is `shop.sell.inner`, and the main function `D main`; a constructor is `Box.this` for the language, and `Box.__ctor` for its demangler."""
        name = self.in_log(name)
        if name == "D main":
            return "start.main"
        words = [word for word in self.told(name).split() if word not in ("const", "immutable", "shared", "inout")]
        # Each turn of a `static foreach` is a scope, whose functions have mangled names with `__S1`.
        return re.sub(r"\.__S\d+", "", words[-1]).replace(".__ctor", ".this").replace(".__dtor", ".~this") if words else name


class Ada(Build):
    def make(self, random, folder):
        return ada.program(random)

    def compile(self, run, folder, source):
        run(["gnatmake", "-q", "-Isource", "-g", "-gnatws", *self.flags, "start.adb", "-o", "program", "-largs", PROBE["probe"], *(flag for flag in self.flags if flag.startswith(("-fuse", "-flto")))], folder)
        return folder / "program"

    def is_made(self, row, inner):
        # A protected function without the lock (N) is called by the one that takes it (P); what is finalized in a block, by a finalizer, and by one of its type (DF).
        made = row.linkage
        return made.endswith("___finalizer") or re.search(r"D[AFI]$|CFD$", made) is not None or inner is not None and made[-1:] == "P" and inner.linkage == made[:-1] + "N"

    def in_log(self, name):
        # What GNAT's names say of blocks and tasks c++filt does not read: it prints the name in <>.
        return DEMANGLERS["Ada"].read(name).strip("<>") if re.fullmatch(r"\w+", name) else name

    def told(self, name):
        """Names are without capital letters in symbols."""
        return name.lower()

    def plain(self, name):
        """`unit1__sort__2` is `unit1.sort`; a function in a block `unit1__sort__B_3__inner`, in a protected one `unit1__guard_3T__sort__inner`, and a task `start__work_3TB`."""
        return self.in_log(re.sub(r"TB$|T(?=__)|__B_?\d+b?(?=__)", "", name))


class Nim(Build):
    # The names of programs by their symbols without numbers.
    names = {}

    def make(self, random, folder):
        source = nim.program(random)
        self.names.update({nim.mangled(name): name for name in source.names})
        return source

    def compile(self, run, folder, source):
        command = "cpp" if "cpp" in self.name.split() else "c"
        run(["nim", command, "--hints:off", "--warnings:off", "--nimcache:cache", f"--passL:{PROBE['probe']}", *self.flags, "-o:program", "app/start.nim"], folder)
        return folder / "program"

    def is_made(self, row, inner):
        # A method is called through a function with its name, which asks for the type and has the line of its declaration.
        # GCC may make two functions of that one.
        return inner is not None and self.plain(row[0]) == self.plain(inner[0]) and row[2] == row.begin and (row.linkage != inner.linkage or inner[2] == inner.begin)

    def moved(self, folder, source):
        # Nim's C has a call that is a statement of a loop at the line of the loop. Each line of the programs that makes a call ends with a number of its own.
        numbers = {}
        for path, text in source.files.items():
            for line, statement in enumerate(text.splitlines(), 1):
                for number in re.findall(r"fact_after\((\d+)\)", statement):
                    numbers[number] = (path, line)
        lines = {}
        for file in Path(folder, "cache").glob("*.nim.c*"):
            at = 0
            for statement in file.read_text(errors="replace").splitlines():
                if found := re.match(r"#line (\d+) ", statement):
                    at = int(found[1])
                for number in re.findall(r"fact_after\(\(+int\) (\d+)\)", statement):
                    if number in numbers and numbers[number][1] != at:
                        lines.setdefault(numbers[number], set()).add(at)
        return lines

    def plain(self, name):
        """`scan__common_12` is `common.scan`; for C++ that is mangled once more. No tool reads these names: they are compared as Nim makes them."""
        if found := re.match(r"_ZL?(\d+)", name):
            name = name[found.end():][:int(found[1])]
        return self.names.get(re.sub(r"_u?\d+$", "", name.partition("(")[0]), name)


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
    for words, flags, after, mode in NIM:
        builds.append(Nim(f"Nim nim {words}", "Nim", "nim", flags, optimized="default" not in words, after=after, mode=mode, library=True))
    for words, flags, after, mode in ADA:
        builds.append(Ada(f"Ada gnatmake {words}", "Ada", "gnatmake", flags, optimized="-O0" not in flags, after=after, mode=mode, library=True))
    for compiler, words, flags, after, mode in D_LANGUAGE:
        builds.append(D(f"D {compiler} {words}", "D", compiler, flags, optimized="-O0" not in flags, after=after, mode=mode, library=True))
    for words, flags in (("Debug own-backend", ["-ODebug", "-fno-llvm"]), ("Debug", ["-ODebug", "-fllvm"]), ("ReleaseSafe", ["-OReleaseSafe"]), ("ReleaseFast", ["-OReleaseFast"]), ("ReleaseSmall", ["-OReleaseSmall"])):
        builds.append(Zig(f"Zig zig {words}", "Zig", "zig", flags, optimized="Debug" not in words))
    for name, flags in (("default", []), ("unsafe", ["-unsafe", "-inline", "100"]), ("pie", ["-ccopt", "-pie"])):
        builds.append(OCaml(f"OCaml ocamlopt {name}", "OCaml", "ocamlopt", flags, optimized=False, library=True))
    for flags in (["-O0"], ["-O1"], ["-O2"], ["-O3"], ["-Os"], ["-O2", "-flto"]):
        builds.append(Fortran(f"Fortran gfortran {' '.join(flags)}", "Fortran", "gfortran", flags, optimized="-O0" not in flags))
    for name, flags in (("default", []), ("no-inlining", ["-gcflags=-l"]), ("no-optimization", ["-gcflags=-N"]), ("more-inlining", ["-gcflags=all=-l=4"]), ("trimpath", ["-trimpath"]), ("uncompressed", ["-ldflags=-compressdwarf=false"]), ("pie", ["-buildmode=pie"]), ("no-dwarf", ["-ldflags=-w"]), ("stripped", ["-ldflags=-s -w"])):
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
    for words, flags, after, mode in RUST:
        builds.append(Rust(f"Rust rustc {words}", "Rust", "rustc", flags, after=after, mode=mode, library=True))
    for words, flags, after in SWIFT:
        builds.append(Swift(f"Swift swiftc {words}", "Swift", "swiftc", flags, after=after, library=True))
    for words, flags, after in FORTRAN:
        builds.append(Fortran(f"Fortran gfortran {words}", "Fortran", "gfortran", flags, after=after))
    for words, compilers, flags, after, mode in CEE:
        for compiler in compilers.split():
            for language, name in (("C", compiler), ("C++", {"gcc": "g++", "clang-19": "clang++-19", "clang": "clang++"}[compiler])):
                level = next((flag for flag in flags if flag.startswith("-O")), "-O2")
                builds.append(Cee(f"{language} {name} {level} {words}", language, name, [level, "-g", *(flag for flag in flags if flag != level)], optimized=level != "-O0", after=after, mode=mode))
    return builds


NIM = [
    ("default", ["--debugger:native"], [], "full"),
    ("default goto", ["--debugger:native", "--exceptions:goto"], [], "full"),
    ("default cpp", ["--debugger:native"], [], "full"),
    ("default orc", ["--debugger:native", "--gc:orc"], [], "full"),
    ("default clang", ["--debugger:native", "--cc:clang", "--clang.exe:clang-19", "--clang.linkerexe:clang-19"], [], "full"),
    ("lines", ["-d:release", "--lineDir:on", "--passC:-g", "--passL:-g"], [], "full"),
    ("release", ["-d:release", "--debugger:native"], [], "full"),
    ("release stack-traces", ["-d:release", "--debugger:native", "--stackTrace:on", "--lineTrace:on"], [], "full"),
    ("release arc", ["-d:release", "--debugger:native", "--gc:arc"], [], "full"),
    ("release goto", ["-d:release", "--debugger:native", "--exceptions:goto"], [], "full"),
    ("release cpp", ["-d:release", "--debugger:native"], [], "full"),
    ("release clang", ["-d:release", "--debugger:native", "--cc:clang", "--clang.exe:clang-19", "--clang.linkerexe:clang-19"], [], "full"),
    ("release lto", ["-d:release", "--debugger:native", "--passC:-flto", "--passL:-flto"], [], "full"),
    ("release dwz", ["-d:release", "--debugger:native"], ["dwz"], "full"),
    ("release debug-link", ["-d:release", "--debugger:native"], ["link"], "full"),
    ("danger", ["-d:danger", "--debugger:native"], [], "full"),
    ("danger O3", ["-d:danger", "--debugger:native", "--passC:-O3"], [], "full"),
    ("danger cpp", ["-d:danger", "--debugger:native", "--passC:-O2"], [], "full"),
    ("size", ["-d:release", "--opt:size", "--debugger:native"], [], "full"),
    ("default symbols", ["--debugger:native"], ["symbols"], "symbols"),
    ("danger symbols", ["-d:danger", "--debugger:native"], ["symbols"], "symbols"),
]
ADA = [
    *((level, [level], [], "full") for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og")),
    ("inline", ["-O2", "-gnatn"], [], "full"),
    ("inline-more", ["-O3", "-gnatn2", "-gnatp"], [], "full"),
    ("assertions", ["-O1", "-gnata", "-gnatVa", "-gnato"], [], "full"),
    ("split", ["-O2", "-gsplit-dwarf"], [], "full"),
    ("dwarf-4", ["-O2", "-gdwarf-4"], [], "full"),
    # GCC makes one function of those of two instances of a generic that are alike.
    ("lto", ["-O2", "-flto", "-fno-ipa-icf"], [], "full"),
    ("gz", ["-O2", "-gz"], [], "full"),
    ("no-encodings", ["-O2", "-fgnat-encodings=minimal"], [], "full"),
    ("static", ["-O2", "-static"], [], "full"),
    ("dwz", ["-O3", "-gnatn"], ["dwz"], "full"),
    ("debug-link", ["-O2"], ["link"], "full"),
    ("mold", ["-O2", "-fuse-ld=mold"], [], "full"),
    ("-O0 symbols", ["-O0"], ["symbols"], "symbols"),
    ("-O2 symbols", ["-O2", "-gnatn"], ["symbols"], "symbols"),
]
D_LANGUAGE = [
    *(("gdc", level, [level], [], "full") for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Og")),
    ("gdc", "release", ["-O3", "-frelease"], [], "full"),
    ("gdc", "debug", ["-O1", "-fdebug", "-g3", "-funittest"], [], "full"),
    ("gdc", "lto", ["-O2", "-flto"], [], "full"),
    ("gdc", "dwarf-4", ["-O2", "-gdwarf-4"], [], "full"),
    ("gdc", "split", ["-O2", "-gsplit-dwarf"], [], "full"),
    ("gdc", "dwz", ["-O3"], ["dwz"], "full"),
    ("gdc", "debug-link", ["-O2"], ["link"], "full"),
    ("gdc", "zlib", ["-O2"], ["zlib"], "full"),
    ("gdc", "no-weak", ["-O2", "-fno-weak-templates"], [], "full"),
    ("gdc", "static", ["-O2", "-static-libphobos"], [], "full"),
    ("gdc", "mold", ["-O2", "-fuse-ld=mold"], [], "full"),
    ("gdc", "-O0 symbols", ["-O0"], ["symbols"], "symbols"),
    ("gdc", "-O2 symbols", ["-O2"], ["symbols"], "symbols"),
    *(("ldc2", level, [level], [], "full") for level in ("-O0", "-O1", "-O2", "-O3", "-Os", "-Oz")),
    ("ldc2", "release", ["-O3", "-release"], [], "full"),
    ("ldc2", "debug", ["-O0", "-d-debug", "-unittest", "-link-defaultlib-debug"], [], "full"),
    ("ldc2", "one-object", ["-O3", "-singleobj"], [], "full"),
    ("ldc2", "cross-module", ["-O2", "-enable-cross-module-inlining"], [], "full"),
    ("ldc2", "linkonce-templates", ["-O2", "-linkonce-templates"], [], "full"),
    ("ldc2", "dwarf-5", ["-O2", "-dwarf-version=5"], [], "full"),
    ("ldc2", "dwarf-4", ["-O3", "-dwarf-version=4"], [], "full"),
    ("ldc2", "lines-only", ["-O2", "-gline-tables-only"], [], "full"),
    ("ldc2", "frame-pointers", ["-O2", "-frame-pointer=all"], [], "full"),
    ("ldc2", "dwz", ["-O3", "-dwarf-version=4"], ["dwz"], "full"),
    ("ldc2", "debug-link", ["-O2"], ["link"], "full"),
    ("ldc2", "zstd", ["-O2"], ["zstd"], "full"),
    ("ldc2", "lld", ["-O2", "-linker=lld"], [], "full"),
    ("ldc2", "mold", ["-O2", "-linker=mold"], [], "full"),
    ("ldc2", "static", ["-O2", "-link-defaultlib-shared=false"], [], "full"),
    ("ldc2", "-O0 symbols", ["-O0"], ["symbols"], "symbols"),
    ("ldc2", "-O2 symbols", ["-O2"], ["symbols"], "symbols"),
]
RUST = [
    ("fat-lto", ["-Copt-level=3", "-Clto=fat"], [], "full"),
    ("thin-lto", ["-Copt-level=2", "-Clto=thin", "-Ccodegen-units=4"], [], "full"),
    ("packed", ["-Copt-level=2", "-Csplit-debuginfo=packed"], [], "full"),
    ("unpacked", ["-Copt-level=3", "-Csplit-debuginfo=unpacked"], [], "full"),
    ("lines-only", ["-Copt-level=2", "-Cdebuginfo=line-tables-only"], [], "full"),
    ("limited", ["-Copt-level=2", "-Cdebuginfo=1", "-Csymbol-mangling-version=v0"], [], "full"),
    ("dwarf-5", ["-Copt-level=3", "-Cdwarf-version=5"], [], "full"),
    ("dwarf-5-unpacked", ["-Copt-level=2", "-Cdwarf-version=5", "-Csplit-debuginfo=unpacked"], [], "full"),
    ("lld", ["-Copt-level=2", "-Clink-arg=-fuse-ld=lld"], [], "full"),
    ("mold", ["-Copt-level=s", "-Clink-arg=-fuse-ld=mold"], [], "full"),
    ("bfd", ["-Copt-level=3", "-Clink-arg=-fuse-ld=bfd"], [], "full"),
    ("static", ["-Copt-level=2", "-Ctarget-feature=+crt-static"], [], "full"),
    ("dwz", ["-Copt-level=2", "-Cdwarf-version=4"], ["dwz"], "full"),
    ("debug-link", ["-Copt-level=2"], ["link"], "full"),
    ("zlib", ["-Copt-level=1"], ["zlib"], "full"),
    ("zstd", ["-Copt-level=3"], ["zstd"], "full"),
    ("symbols", ["-Copt-level=2"], ["symbols"], "symbols"),
    ("symbols v0", ["-Copt-level=0", "-Csymbol-mangling-version=v0"], ["symbols"], "symbols"),
]
SWIFT = [
    ("lld", ["-O", "-use-ld=lld"], []),
    ("dwarf-5", ["-O", "-wmo", "-dwarf-version=5"], []),
    ("debug-link", ["-O"], ["link"]),
    ("zlib", ["-O", "-wmo"], ["zlib"]),
    ("zstd", ["-Osize", "-wmo"], ["zstd"]),
    ("static", ["-O", "-static-stdlib"], []),
]
FORTRAN = [
    ("split", ["-O2", "-gsplit-dwarf"], []),
    ("dwz", ["-O3"], ["dwz"]),
    ("debug-link", ["-O2"], ["link"]),
    ("static", ["-O2", "-static"], []),
    ("dwarf-4", ["-O2", "-gdwarf-4"], []),
    ("mold", ["-O2", "-fuse-ld=mold"], []),
]
# What is built in other ways: words, compilers, flags, what is done afterwards, and what cairn can know.
CEE = [
    ("lto", "gcc", ["-O2", "-flto"], [], "full"),
    ("lto", "gcc", ["-Os", "-flto"], [], "full"),
    ("thin-lto", "clang-19", ["-O2", "-flto=thin", "-fuse-ld=lld"], [], "full"),
    ("full-lto", "clang-19", ["-O3", "-flto=full", "-fuse-ld=lld"], [], "full"),
    ("full-lto", "clang-19", ["-Oz", "-flto=full", "-fuse-ld=lld"], [], "full"),
    ("split", "gcc clang-19", ["-O2", "-gsplit-dwarf", "-gdwarf-5"], [], "full"),
    ("split-4", "gcc clang-19", ["-O3", "-gsplit-dwarf", "-gdwarf-4"], [], "full"),
    # Not gcc's: llvm-dwp 19 does not end with its DWARF 5.
    ("dwp", "clang-19", ["-O2", "-gsplit-dwarf", "-gdwarf-5"], ["dwp"], "full"),
    ("dwp-4", "gcc clang-19", ["-O1", "-gsplit-dwarf", "-gdwarf-4"], ["dwp"], "full"),
    ("split-inlining", "clang-19", ["-O2", "-gsplit-dwarf", "-fsplit-dwarf-inlining"], [], "full"),
    ("gz", "gcc clang-19", ["-O2", "-gz=zlib"], [], "full"),
    ("zlib-gnu", "gcc", ["-O1", "-gdwarf-4"], ["zlib-gnu"], "full"),
    ("zstd", "gcc clang-19", ["-O2"], ["zstd"], "full"),
    ("dwz", "gcc", ["-O2"], ["dwz"], "full"),
    ("dwz", "clang-19", ["-O2", "-gdwarf-4"], ["dwz"], "full"),
    ("dwz-4", "gcc", ["-O3", "-gdwarf-4"], ["dwz"], "full"),
    ("dwz-common", "gcc", ["-O2"], ["dwz-common"], "full"),
    ("dwz-link", "gcc", ["-O2"], ["dwz", "link"], "full"),
    ("gold", "gcc clang-19", ["-O2", "-fuse-ld=gold"], [], "full"),
    ("lld", "clang-19 clang", ["-O2", "-fuse-ld=lld"], [], "full"),
    ("mold", "gcc clang-19", ["-O2", "-fuse-ld=mold"], [], "full"),
    ("gc", "gcc", ["-O2", "-ffunction-sections", "-Wl,--gc-sections"], [], "full"),
    ("gc-gold", "gcc", ["-Os", "-ffunction-sections", "-fuse-ld=gold", "-Wl,--gc-sections", "-Wl,--icf=none"], [], "full"),
    ("gc-lld", "clang-19", ["-O1", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--gc-sections", "-Wl,--icf=none"], [], "full"),
    ("gc-mold", "gcc", ["-O2", "-ffunction-sections", "-fuse-ld=mold", "-Wl,--gc-sections"], [], "full"),
    ("static", "gcc clang-19", ["-O2", "-static"], [], "full"),
    ("static-pie", "gcc", ["-O2", "-static-pie", "-fPIE"], [], "full"),
    ("no-pie", "gcc clang-19", ["-O2", "-no-pie", "-fno-pie"], [], "full"),
    ("dwarf-2", "gcc", ["-O2", "-gdwarf-2"], [], "full"),
    ("dwarf-3", "clang-19", ["-O2", "-gdwarf-3"], [], "full"),
    ("dwarf64", "gcc clang-19", ["-O2", "-gdwarf-5", "-gdwarf64"], [], "full"),
    ("types", "gcc clang-19", ["-O2", "-fdebug-types-section"], [], "full"),
    ("lines-only", "clang-19", ["-O2", "-gline-tables-only"], [], "full"),
    ("debug-level", "gcc", ["-Og", "-g3"], [], "full"),
    ("fast", "gcc clang-19", ["-O3", "-funroll-loops", "-fno-omit-frame-pointer", "-ffast-math"], [], "full"),
    ("protected", "gcc", ["-O2", "-fstack-protector-all", "-fcf-protection", "-fstack-clash-protection"], [], "full"),
    ("split-functions", "gcc", ["-O3", "-freorder-blocks-and-partition", "-fipa-cp-clone", "-falign-functions=64"], [], "full"),
    ("sections", "clang-19", ["-O2", "-fbasic-block-sections=all"], [], "full"),
    # gcc writes the line tables, not the assembler.
    ("own-lines", "gcc", ["-O2", "-gno-as-loc-support"], [], "full"),
    ("own-lines-4", "gcc", ["-O1", "-gno-as-loc-support", "-gdwarf-4"], [], "full"),
    ("no-views", "gcc", ["-O3", "-gno-variable-location-views", "-gno-column-info"], [], "full"),
    ("gdb-index", "gcc clang-19", ["-O2", "-ggnu-pubnames", "-fuse-ld=gold", "-Wl,--gdb-index"], [], "full"),
    ("names", "clang-19", ["-O2", "-gdwarf-5", "-gpubnames", "-fuse-ld=lld"], [], "full"),
    ("relative", "gcc clang-19", ["-O2", "-fdebug-prefix-map=FOLDER=."], [], "full"),
    ("coverage", "gcc", ["-O2", "--coverage"], [], "full"),
    ("undefined", "gcc", ["-O2", "-fsanitize=undefined"], [], "full"),
    ("address", "gcc", ["-O1", "-fsanitize=address"], [], "full"),
    ("hot-cold", "clang-19", ["-O2", "-mllvm", "-hot-cold-split=true"], [], "full"),
    # Not gcc's: it writes a reference to nothing for the names of inlined functions, as gdb says: "Cannot find DIE at 0x0".
    ("split-lto", "clang-19", ["-O2", "-flto=thin", "-gsplit-dwarf", "-fuse-ld=lld"], [], "full"),
    ("debug-link", "gcc clang-19", ["-O2"], ["link"], "full"),
    ("debug-link-gz", "gcc", ["-O2"], ["zlib", "link"], "full"),
    ("symbols", "gcc clang-19", ["-O2"], ["symbols"], "symbols"),
    ("symbols", "gcc clang-19", ["-O0"], ["symbols"], "symbols"),
    ("symbols-lto", "gcc", ["-O2", "-flto"], ["symbols"], "symbols"),
    ("dynamic", "gcc clang-19", ["-O2", "-rdynamic"], ["dynamic"], "dynamic"),
]


def installed():
    """The builds whose compiler is there, and the compilers that are not."""
    builds = all_builds()
    needs = {build.name: {build.compiler} | {TOOLS[word] for word in [*build.flags, *build.after] if word in TOOLS} for build in builds}
    missing = {tool for tools in needs.values() for tool in tools if shutil.which(tool) is None}
    return [build for build in builds if not needs[build.name] & missing], sorted(missing)


def prepare(run, folder):
    """Compiles the probe, which has no debug information."""
    folder.mkdir(parents=True, exist_ok=True)
    run(["gcc", "-c", "-O1", "-fPIC", "-fno-omit-frame-pointer", HERE / "probe.c", "-o", folder / "probe.o"], folder)
    PROBE["probe"] = folder / "probe.o"
