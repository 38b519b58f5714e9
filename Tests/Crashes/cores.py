"""The cores of scripts/checks/verify-cores: programs that are built here and crash, and what their sources say is on the stack."""
import os
import re
import resource
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import crashes

SOURCES = Path(__file__).resolve().parent / "cores"
QUIET = {"SWIFT_BACKTRACE": "enable=no", "RUST_BACKTRACE": "0", "GOTRACEBACK": "crash", "LC_ALL": "C"}


@dataclass
class Core:
    """A core file, the program that left it, and the functions that its source says are on the crashed thread's stack."""
    name: str
    path: Path
    program: Path
    chain: list = field(default_factory=list)
    own: set = field(default_factory=set)
    emulator: str = ""


class Chains:
    """`CHAIN case: f g h` of a source's comments, innermost first."""

    def __init__(self, source):
        self.of = {}
        for file in [source, *(source.parent.glob("faults-*.h") if source.suffix == ".c" else [])]:
            for found in re.finditer(r"// CHAIN ([\w-]+):(.*)", file.read_text()):
                # What is called there is `fault_…`, which the comments leave out.
                self.of[found[1]] = found[2].replace(" outer", " fault outer" if "void fault_" in source.read_text() else " outer").split()
        self.own = {name for chain in self.of.values() for name in chain}


class Maker:
    def __init__(self, folder, build="", case=""):
        self.folder, self.only_build, self.only_case, self.skipped = folder, build, case, []

    def wanted(self, build):
        return build.startswith(self.only_build)

    def run(self, command, directory, environment=None, filter=None):
        """Runs a program that crashes. `filter`: what the kernel saves, see core(5)."""
        def prepare():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            if filter is not None:
                Path("/proc/self/coredump_filter").write_text(filter)

        return subprocess.run(
            [str(word) for word in command], cwd=directory, env=os.environ | QUIET | (environment or {}), preexec_fn=prepare, stdin=subprocess.DEVNULL, capture_output=True, timeout=150)

    def build(self, what, commands):
        """Compiles in a folder of its own, which it returns; nothing if a compiler is not here."""
        directory = self.folder / what.replace(" ", "_")
        directory.mkdir(parents=True, exist_ok=True)
        if (directory / "built").exists():
            return directory
        for command in commands:
            if not shutil.which(command[0]):
                self.skipped.append(f"{what}: no {command[0]} here")
                return None
            done = subprocess.run([str(word) for word in command], cwd=directory, capture_output=True, text=True)
            if done.returncode:
                self.skipped.append(f"{what}: {command[0]}: {(done.stderr or done.stdout).strip().splitlines()[:1]}")
                return None
        (directory / "built").touch()
        return directory

    def crash(self, name, directory, command, program, chain, own, emulator="", **options):
        """Lets a program crash; where it left no core, that is said."""
        if self.only_case not in ("", name.split()[-1]):
            return
        kept = directory / (name.split()[-1].replace("/", "_") + ".core")
        if not kept.exists():
            for old in [*directory.glob("core*"), *directory.glob("qemu_*.core")]:
                if old.suffix != ".so" and old.is_file() and old.name.startswith(("core", "qemu_")):
                    old.unlink()
            self.run(command, directory, **options)
            found = [*directory.glob("qemu_*.core")] if emulator else [path for path in directory.glob("core*") if re.fullmatch(r"core(\.\d+)?", path.name)]
            if not found:
                self.skipped.append(f"{name}: no core")
                return
            found[0].rename(kept)
            # The emulator leaves its own, too.
            if emulator and (directory / "core").exists():
                (directory / "core").unlink()
        chain = chain if own else []
        yield Core(name, kept, directory / program if not str(program).startswith("/") else Path(program), chain, own, emulator)

    # What is made of C: one program, built in many ways.

    FEW = ["null", "call-null", "deep", "handler", "alt-stack", "nested", "handled-fault", "abort", "copy", "sort", "alloca", "coroutine", "waits", "thread"]
    EMULATED = ["null", "call-null", "no-exec", "deep", "handler", "alt-stack", "nested", "handled-fault", "handled-call-null", "abort", "assert", "raise", "free", "copy", "length",
                "print", "sort", "exit", "alloca", "array", "tail", "coroutine", "longjmp", "thread"]

    def c_builds(self):
        """(name, compiler and its options, cases; none: all, program that runs it). qemu-user writes no cores of RISC-V."""
        gcc = ["gcc", "-fno-ipa-icf"]
        clang = [shutil.which("clang-19") or crashes.toolchain("clang") or "clang", "-fstack-protector-strong"]
        bare = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
        yield "gcc -O2", [*gcc, "-O2"], None, []
        yield "clang -O2", [*clang, "-O2"], None, []
        yield "gcc -O0", [*gcc, "-O0"], None, []
        yield "clang -O0", [*clang, "-O0"], self.FEW, []
        yield "gcc -Os", [*gcc, "-Os"], self.FEW, []
        yield "gcc -O2 frame-pointers", [*gcc, "-O2", "-fno-omit-frame-pointer"], self.FEW, []
        yield "gcc -O2 frame-pointers no-rules", [*gcc, "-O2", "-fno-omit-frame-pointer", *bare], None, []
        yield "gcc -O2 prologues no-rules", [*gcc, "-O2", "-fomit-frame-pointer", *bare], None, []
        yield "gcc -O2 lazy no-pie", [*gcc, "-O2", "-DLAZY", "-fno-PIE", "-no-pie", "-Wl,-z,lazy", "-Wl,-z,norelro", "-fcf-protection=none"], None, []
        yield "gcc -O2 lto", [*gcc, "-O2", "-flto"], self.FEW, []
        yield "clang -O2 lto", [*clang, "-O2", "-flto", "-fuse-ld=lld"], self.FEW, []
        yield "gcc -O2 static", [*gcc, "-O2", "-static"], self.FEW, []
        yield "gcc -O2 static-pie", [*gcc, "-O2", "-static-pie"], self.FEW, []
        yield "gcc -O2 stripped", [*gcc, "-O2", "-s"], self.FEW, []
        for linker in ("lld", "mold", "gold"):
            yield f"gcc -O2 {linker}", [*gcc, "-O2", f"-fuse-ld={linker}"], self.FEW, []
        yield "clang -O2 lld no-pie", [*clang, "-O2", "-fuse-ld=lld", "-fno-PIE", "-no-pie"], self.FEW, []
        yield "musl-gcc -O2", ["musl-gcc", "-O2"], self.FEW, []
        yield "musl-gcc -O2 static", ["musl-gcc", "-O2", "-static"], self.FEW, []
        yield "gcc -m32 -O2", [*gcc, "-m32", "-O2"], None, []
        yield "gcc -m32 -O0", [*gcc, "-m32", "-O0"], self.FEW, []
        yield "arm64 -O2", ["aarch64-linux-gnu-gcc", "-O2", "-static", "-fno-ipa-icf"], self.EMULATED, ["qemu-aarch64"]
        yield "arm64 -O1 signed", ["aarch64-linux-gnu-gcc", "-O1", "-static", "-mbranch-protection=standard"], self.EMULATED, ["qemu-aarch64"]
        yield "arm -O2", ["arm-linux-gnueabihf-gcc", "-O2", "-static", "-marm", "-fno-ipa-icf"], self.EMULATED, ["qemu-arm"]
        yield "ppc64le -O2", ["powerpc64le-linux-gnu-gcc", "-O2", "-static", "-fno-ipa-icf"], self.EMULATED, ["qemu-ppc64le"]
        yield "s390x -O2", ["s390x-linux-gnu-gcc", "-O2", "-static", "-fno-ipa-icf"], self.EMULATED, ["qemu-s390x"]
        yield "thumb -O2", ["arm-linux-gnueabihf-gcc", "-O2", "-static", "-mthumb", "-fno-ipa-icf"], self.EMULATED, ["qemu-arm"]

    def of_c(self):
        source = SOURCES / "faults.c"
        chains = Chains(source)
        for what, command, cases, emulator in self.c_builds():
            if not self.wanted(what):
                continue
            if emulator and not shutil.which(emulator[0]):
                self.skipped.append(f"{what}: no {emulator[0]} here")
                continue
            library = [] if emulator or "static" in what else ["-DLIBRARY=\"./library.so\""]
            commands = [[*command, "-w", "-g", "-pthread", *library, source, "-o", "prog", *(["-ldl"] if library else [])]]
            if library:
                commands.append([*[word for word in command if word not in ("-fno-PIE", "-no-pie", "-DLAZY")], "-w", "-shared", "-fPIC", SOURCES / "library.c", "-o", "library.so"])
            directory = self.build(what, commands)
            if not directory:
                continue
            names = subprocess.run(["strings", "-n", "3", str(directory / "prog")], capture_output=True, text=True).stdout.split("\n")
            for case in cases or chains.of:
                if case in names or case == "null":
                    own = set() if "stripped" in what else chains.own
                    yield from self.crash(f"{what} {case}", directory, [*emulator, "./prog", case], "prog", chains.of[case], own, *emulator)
            if what == "gcc -O2":
                yield from self.of_kinds(what, directory, chains)

    def of_kinds(self, what, directory, chains):
        """Other ways in which a core comes to be."""
        for name, saved in [("filter-0", "0"), ("filter-1", "0x1")]:
            yield from self.crash(f"{what} {name}", directory, ["./prog", "waits"], "prog", chains.of["waits"] if saved != "0" else [], chains.own if saved != "0" else set(), filter=saved)
        whole = directory / "waits.core"
        if whole.exists():
            for name, part in [("cut-half", 0.5), ("cut-most", 0.1)]:
                if self.only_case in ("", name):
                    cut = directory / (name + ".core")
                    cut.write_bytes(whole.read_bytes()[:int(whole.stat().st_size * part)])
                    yield Core(f"{what} {name}", cut, directory / "prog")
        # As gdb writes it: of a program that crashed, and of one that a signal's handler of returns.
        gdb = ["gdb", "-batch", "-nx", "-ex", "set breakpoint pending on"]
        write = ["-ex", "generate-core-file core", "-ex", "kill"]
        yield from self.crash(f"{what} gcore", directory, [*gdb, "-ex", "run", *write, "--args", "./prog", "waits"], "prog", chains.of["waits"], chains.own)
        returning = ["-ex", "handle SIGUSR1 nostop pass", "-ex", "break *on_nothing", "-ex", "run", "-ex", "tbreak **(long *)$rsp", "-ex", "continue"]
        yield from self.crash(f"{what} gcore-restorer", directory, [*gdb, *returning, *write, "--args", "./prog", "restored"], "prog", ["send", "fault", "outer", "main"], chains.own)

    # Other languages.

    def of_languages(self):
        for what, source, command in [
            ("g++ -O2", "throws.cpp", ["g++", "-O2"]), ("g++ -O0", "throws.cpp", ["g++", "-O0"]), ("clang++ -O2", "throws.cpp", ["clang++-19", "-O2"]),
            ("rustc -O2", "faults.rs", ["rustc", "--edition", "2021", "-Copt-level=2"]), ("rustc -O0", "faults.rs", ["rustc", "--edition", "2021", "-Copt-level=0"]),
            ("swiftc -O", "faults.swift", ["swiftc", "-parse-as-library", "-O"]), ("swiftc -Onone", "faults.swift", ["swiftc", "-parse-as-library", "-Onone"]),
            ("gfortran", "faults.f90", ["gfortran", "-O0"]),
        ]:
            if self.wanted(what):
                chains = Chains(SOURCES / source)
                quiet = ["-w"] if "g++" in what or what[0] == "c" else []
                if directory := self.build(what, [[*command, *quiet, "-g", SOURCES / source, "-o", "prog"]]):
                    for case, chain in chains.of.items():
                        # clang calls `terminate` in the function that promised, after what threw is left.
                        chain = chain[1:] if what.startswith("clang") and case == "no-except" else chain
                        yield from self.crash(f"{what} {case}", directory, ["./prog", case], "prog", chain, chains.own)
        if self.wanted("ocaml"):
            chains = Chains(SOURCES / "faults.ml")
            parts = [["cp", SOURCES / "faults.ml", SOURCES / "faults-ocaml.c", "."], ["ocamlopt", "-g", "faults-ocaml.c", "faults.ml", "-o", "prog"]]
            if directory := self.build("ocaml", parts):
                for case, chain in chains.of.items():
                    yield from self.crash(f"ocaml {case}", directory, ["./prog", case], "prog", chain, chains.own)
        if self.wanted("go"):
            chains = Chains(SOURCES / "go" / "main.go")
            if directory := self.build("go", [["go", "build", "-o", "prog", SOURCES / "go" / "main.go"]]):
                for case, chain in chains.of.items():
                    yield from self.crash(f"go {case}", directory, ["./prog", case], "prog", chain, chains.own)
        if self.wanted("python"):
            python = "/usr/bin/python3"
            include = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_path('include'))"], capture_output=True, text=True).stdout.strip()
            chains = Chains(SOURCES / "module.c")
            if directory := self.build("python", [["gcc", "-shared", "-fPIC", "-O1", "-g", "-I" + include, SOURCES / "module.c", "-o", "crashing.so"]]):
                program = os.path.realpath(python)
                calls = "def f(n): return f(n - 1) if n else crashing.crash()"
                yield from self.crash("python extension", directory, [python, "-c", f"import sys; sys.path.insert(0, '.'); import crashing\n{calls}\nf(5)"], program, chains.of["extension"], chains.own)
                yield from self.crash("python ctypes", directory, [python, "-c", "import ctypes; ctypes.string_at(8)"], program, [], set())

    # A program of many libraries.

    def of_libraries(self, count=100, threads=50):
        """Each library calls the next; the last waits in threads, and crashes."""
        what = "gcc libraries"
        if not self.wanted(what) or not shutil.which("gcc"):
            return
        directory = self.folder / what.replace(" ", "_")
        directory.mkdir(parents=True, exist_ok=True)
        more = "".join(f"int more_%d_{index}(int n) {{ return n * {index} + %d; }}\n" for index in range(40))
        for number in reversed(range(count)):
            if number + 1 < count:
                text = f"int call_{number + 1}(int);\nint call_{number}(int n) {{ int m = call_{number + 1}(n + 1); return m + {number + 1}; }}\n"
            else:
                text = f"#include <unistd.h>\nint *volatile null;\nint call_{number}(int n) {{ if (n > 1000) for (;;) pause(); *null = n; return n; }}\n"
            (directory / f"a{number}.c").write_text(text + more.replace("%d", str(number)))
        (directory / "prog.c").write_text(
            "#include <pthread.h>\n#include <unistd.h>\nint call_0(int);\nstatic void *run(void *a) { return (void *)(long)call_0(2000); }\n"
            f"int main(void) {{ pthread_t thread; for (int i = 0; i < {threads - 1}; i++) pthread_create(&thread, 0, run, 0); usleep(300000); return call_0(1) + 1; }}\n")
        rows = ['"$@" -shared -fPIC a%d.c -o liba%d.so -L. %s' % (number, number, f"-la{number + 1}" if number + 1 < count else "") for number in reversed(range(count))]
        build = "\n".join([*rows, '"$@" prog.c -o prog -pthread -L. -la0 -Wl,-rpath,"$PWD" -Wl,-rpath-link,"$PWD"'])
        if self.build(what, [["sh", "-ec", build, "sh", "gcc", "-O2", "-g"]]):
            chain = [f"call_{number}" for number in reversed(range(count))] + ["main"]
            yield from self.crash(f"{what} chain", directory, ["./prog"], "prog", chain, set(chain), environment={"LD_LIBRARY_PATH": str(directory)})

    def cores(self):
        yield from self.of_c()
        yield from self.of_languages()
        yield from self.of_libraries()
