"""Crash logs of any format over one object, for the benchmark's main job and for scripts/checks/cliffs.

`crash_logs.py FORMAT OBJECT CODE COUNT SEED` prints a log of COUNT rows: return addresses of CODE, the program or library with its code, whose
debug information is in OBJECT. The same arguments give the same log.
"""

import json
import random
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

BASE = 0x7F00_0000_0000
"""Where the image is loaded."""


@dataclass(frozen=True)
class Image:
    name: str
    build_id: str
    """Of the mapping, in bytes."""
    size: int
    """Where its first byte is linked: rows are offsets from it."""
    link: int
    """Of its code's mapping, as linked: the page of its first byte, and the end of its last."""
    code: tuple[int, int]
    base: int = BASE


@dataclass(frozen=True)
class Function:
    start: int
    size: int


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def is_macho(path: Path) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"\xcf\xfa\xed\xfe"


def image(path: Path, name: str) -> Image:
    """The image that a log names, by the program headers and the notes of a file."""
    if is_macho(path):
        loads = re.findall(r"segname (\S+)\n +vmaddr (0x\w+)\n +vmsize (0x\w+)", run("llvm-objdump-19", "--private-headers", str(path)))
        identity = re.search(r"uuid ([\w-]+)", run("llvm-objdump-19", "--private-headers", str(path)))
        link, size = next((int(start, 16), int(size, 16)) for segment, start, size in loads if segment == "__TEXT")
        return Image(name, identity[1], size, link, (link, link + size))
    headers = run("readelf", "-lW", "-n", str(path))
    loads = [(int(found[1], 16), int(found[2], 16), "E" in found[3])
             for found in re.finditer(r"^ +LOAD +\S+ (0x\w+) \S+ \S+ (0x\w+) ([RWE ]{3})", headers, re.M)]
    link = min(start for start, _, _ in loads) & ~0xFFF
    end = max(start + size for start, size, _ in loads) - link
    code = next(((start & ~0xFFF, (start + size + 0xFFF) & ~0xFFF) for start, size, is_code in loads if is_code), (link, link))
    identity = re.search(r"Build ID: (\w+)", headers)
    return Image(name, identity[1] if identity else "", (end + 0xFFF) & ~0xFFF, link, code)


@cache
def functions(path: Path) -> list[Function]:
    """The functions of a symbol table that have a size, ascending."""
    if is_macho(path):
        # Without sizes: a function ends where the next one begins.
        starts = sorted({int(line.split()[0], 16) for line in run("llvm-nm-19", "--defined-only", str(path)).splitlines() if line.split()[1] in "tT"})
        return [Function(start, end - start) for start, end in zip(starts, starts[1:]) if end - start < 0x1_0000 and start & 0xFFF]
    found: dict[int, int] = {}
    for line in run("nm", "--defined-only", "--print-size", str(path)).splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tTwWi" and int(fields[1], 16) > 0:
            found[int(fields[0], 16)] = max(int(fields[1], 16), found.get(int(fields[0], 16), 0))
    return [Function(start, size) for start, size in sorted(found.items())]


def call_ends(code: Path, function: Function) -> list[int]:
    """The return addresses of a function's calls, as the disassembler has them."""
    program = "llvm-objdump-19" if is_macho(code) else "objdump"
    text = run(program, "-d", "--no-show-raw-insn", f"--start-address={function.start}", f"--stop-address={function.start + function.size + 16}", str(code))
    rows = re.findall(r"^ *([0-9a-f]+):\s+(\S+)", text, re.M)
    return [int(after[0], 16) for (address, name), after in zip(rows, rows[1:]) if name.startswith(("call", "bl")) and int(address, 16) < function.start + function.size]


def spread(items: list, count: int, seed: int) -> list:
    """So many of them, from everywhere, in no order."""
    generator = random.Random(seed)
    return [items[generator.randrange(len(items))] for _ in range(count)]


def return_addresses(code: Path, symbols: Path, count: int, seed: int) -> list[int]:
    """Different return addresses in as many functions, inside of these."""
    generator = random.Random(seed)
    known = [function for function in functions(symbols) if function.size > 64]
    found: list[int] = []
    while len(found) < count:
        function = known[generator.randrange(len(known))]
        inside = [end for end in call_ends(code, function) if end < function.start + function.size]
        if inside:
            found.append(inside[generator.randrange(len(inside))])
    return found


# One function for each format: its rows are offsets in one image.


def asan(own: Image, rows: list[int]) -> str:
    lines = ["==4242==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x7f0000000010 bp 0x7ffc0 sp 0x7ffb8", "READ of size 4 at 0x602000000010 thread T0"]
    # The writer has moved return addresses back into their calls.
    lines += [f"    #{number} 0x{own.base + row - 1:x}  (/opt/app/{own.name}+0x{row - 1:x}) (BuildId: {own.build_id})" for number, row in enumerate(rows)]
    return "\n".join([*lines, "", ""])


def glibc(own: Image, rows: list[int]) -> str:
    return "\n".join(["Backtrace:", *(f"/opt/app/{own.name}(+0x{row:x})[0x{own.base + row:x}]" for row in rows), ""])


def glibc_handler(own: Image, rows: list[int]) -> str:
    head = [f"/opt/app/{own.name}(+0x{rows[0]:x})[0x{own.base + rows[0]:x}]", "/lib/x86_64-linux-gnu/libc.so.6(+0x3c050)[0x7f1111103c050]"]
    return "\n".join(["Caught SIGSEGV:", *head, *(f"/opt/app/{own.name}(+0x{row:x})[0x{own.base + row:x}]" for row in rows[1:]), ""])


def hs_err(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "#", "# A fatal error has been detected by the Java Runtime Environment:", "#",
        f"#  SIGSEGV (0xb) at pc=0x{own.base + rows[0]:016x}, pid=4242, tid=4243", "#",
        "# JRE version: OpenJDK Runtime Environment (17.0.21+2) (build 17.0.21+2-Debian-1deb12u1)",
        f"# Problematic frame:", f"# V  [{own.name}+0x{rows[0]:x}]", "#", "", "---------------  T H R E A D  ---------------", "",
        "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)",
        *(f"V  [{own.name}+0x{row:x}]" for row in rows), "", "---------------  P R O C E S S  ---------------", "",
        "Dynamic libraries:", f"{own.base:x}-{own.base + own.size:x} r-xp 00000000 08:01 1234                       /opt/app/{own.name}", "", "END.", ""])


def tombstone(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***", "Build fingerprint: 'generic/sdk/generic:13/TP1A/1:user/release-keys'",
        "Revision: '0'", "ABI: 'x86_64'", "Timestamp: 2026-01-01 00:00:00.000000000+0000", "Process uptime: 5s", "Cmdline: app", "pid: 4242, tid: 4242, name: app  >>> app <<<",
        "uid: 1000", "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0000000000000010", "", f"{len(rows)} total frames", "backtrace:",
        # The unwinder has moved return addresses back into their calls.
        *(f"      #{number:02} pc {row - (number > 0):016x}  /opt/app/{own.name} (BuildId: {own.build_id})" for number, row in enumerate(rows)), ""])


def kernel_segfault(own: Image, rows: list[int]) -> str:
    return "".join(
        f"[{number}.000000] app[4242]: segfault at 10 ip {own.base + row:016x} sp 00007ffc00000000 error 4 in {own.name}[{own.base:x}+{own.size:x}]\n" for number, row in enumerate(rows))


def systemd(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "Process 4242 (app) of user 1000 dumped core.", "", f"Module {own.name} from deb app-1.0 with build-id {own.build_id}", "Stack trace of thread 4242:",
        *(f"#{number}  0x{own.base + row:016x} n/a ({own.name} + 0x{row:x})" for number, row in enumerate(rows)), "ELF object binary architecture: AMD x86-64", ""])


def rust(own: Image, rows: list[int]) -> str:
    """Without a base: addresses in memory, and nothing that says where the image is."""
    return "\n".join([
        "thread 'main' panicked at src/main.rs:4:5:", "explicit panic", "stack backtrace:", *(f"{number:4}:     0x{own.base + row:x} - <unknown>" for number, row in enumerate(rows)), ""])


def boost(own: Image, rows: list[int]) -> str:
    return "\n".join([*(f"{number:2}# 0x{own.base + row:016X} in /opt/app/{own.name}" for number, row in enumerate(rows)), ""])


def address_list(own: Image, rows: list[int]) -> str:
    return "".join(f"{own.name}+0x{row:x}\n" for row in rows)


def markup(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "{{{reset}}}", f"{{{{{{module:0:{own.name}:elf:{own.build_id}}}}}}}", f"{{{{{{mmap:0x{own.base:x}:0x{own.size:x}:load:0:rx:0x0}}}}}}",
        *(f"{{{{{{bt:{number}:0x{own.base + row:x}:{'ra' if number else 'pc'}}}}}}}" for number, row in enumerate(rows)), ""])


def perf(own: Image, rows: list[int]) -> str:
    return "\n".join(["app 4242 100.000000: 1 cycles:", *(f"\t{own.base + row:16x} [unknown] (/opt/app/{own.name})" for row in rows), "", ""])


def pytorch(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "Exception raised from check at ../c10/Check.cpp:4 (most recent call first):",
        *(f"frame #{number}: <unknown function> + 0x{row:x} (0x{own.base + row:x} in /opt/app/{own.name})" for number, row in enumerate(rows)), ""])


def envoy(own: Image, rows: list[int]) -> str:
    head = f"[2026-01-01 00:00:00.000][4242][critical][backtrace] [./source/server/backtrace.h:"
    start, end = (address - own.link + own.base for address in own.code)
    return "\n".join([
        f"{head}104] Caught Segmentation fault, suspect faulting address 0x10", f"{head}91] Backtrace (use tools/stack_decode.py to get line numbers):",
        f"{head}92] Envoy version: 1/1.0/Clean/RELEASE/BoringSSL", f"{head}96] Address mapping: {start:x}-{end:x} /opt/app/{own.name}",
        *(f"{head}98] #{number}: [0x{own.base + row:x}]" for number, row in enumerate(rows)), ""])


def moz(own: Image, rows: list[int]) -> str:
    return "\n".join([*(f"#{number + 1:02}: ???[/opt/app/{own.name} +0x{row:x}]" for number, row in enumerate(rows)), ""])


def valgrind(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "==4242== Invalid read of size 4", *(f"==4242==    {'at' if number == 0 else 'by'} 0x{own.base + row - (number > 0):X}: ??? (in /opt/app/{own.name})" for number, row in enumerate(rows)),
        "==4242==  Address 0x10 is not stack'd, malloc'd or (recently) free'd", "==4242== ", ""])


def chromium(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "Received signal 11 SEGV_MAPERR 000000000010", *(f"#{number} 0x{own.base + row:012x} (/opt/app/{own.name}+0x{row:x})" for number, row in enumerate(rows)),
        "[end of stack trace]", ""])


def llvm(own: Image, rows: list[int]) -> str:
    return "\n".join([
        "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace.", "Stack dump:", "0.\tProgram arguments: app",
        *(f" #{number} 0x{own.base + row:016x} (/opt/app/{own.name}+0x{row:x})" for number, row in enumerate(rows)), ""])


def ips(own: Image, rows: list[int]) -> str:
    head = {"app_name": own.name, "timestamp": "2026-01-01 00:00:00.00 +0000", "app_version": "1.0", "bug_type": "309", "os_version": "macOS 13.0 (22A380)", "incident_id": "5C9EF6B0-0000-4000-8000-000000000000"}
    body = {
        "pid": 4242, "procName": own.name, "procPath": f"/Applications/{own.name}", "cpuType": "ARM-64", "exception": {"type": "EXC_BREAKPOINT", "signal": "SIGTRAP", "codes": "0x1, 0x10"},
        "faultingThread": 0,
        "threads": [{"id": 4243, "triggered": True, "frames": [{"imageOffset": row, "imageIndex": 0} for row in rows]}],
        "usedImages": [{"source": "P", "arch": "arm64", "base": own.base, "size": own.size, "uuid": own.build_id.lower(), "path": f"/Applications/{own.name}", "name": own.name}],
    }
    return f"{json.dumps(head)}\n{json.dumps(body, indent=2)}\n"


def apple(own: Image, rows: list[int]) -> str:
    return "\n".join([
        f"Process:             {own.name} [4242]", f"Path:                /Applications/{own.name}", "Identifier:          org.example.app", "Version:             1.0 (1)",
        "Code Type:           ARM-64 (Native)", "", "OS Version:          macOS 13.0 (22A380)", "Report Version:      12", "", "Crashed Thread:      0", "",
        "Exception Type:      EXC_BREAKPOINT (SIGTRAP)", "", "Thread 0 Crashed:",
        *(f"{number:<4}{own.name:<30}\t0x{own.base + row:016x} 0x{own.base:x} + {row}" for number, row in enumerate(rows)), "", "Binary Images:",
        f"       0x{own.base:x} -        0x{own.base + own.size - 1:x} {own.name} arm64  <{own.build_id.replace('-', '').lower()}> /Applications/{own.name}", ""])


FORMATS = {
    "asan": asan, "glibc": glibc, "glibc-handler": glibc_handler, "hs_err": hs_err, "tombstone": tombstone, "segfault": kernel_segfault, "systemd": systemd, "rust": rust,
    "boost": boost, "list": address_list, "markup": markup, "perf": perf, "pytorch": pytorch, "envoy": envoy, "moz": moz, "valgrind": valgrind, "chromium": chromium, "llvm": llvm,
}
APPLE_FORMATS = {"ips": ips, "apple": apple}
"""Of Mach-O images."""


def main() -> None:
    format, object, code, count, seed = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    own = image(code, code.name)
    rows = [row - own.link for row in return_addresses(code, object, count, seed)]
    print((FORMATS | APPLE_FORMATS)[format](own, rows), end="")


if __name__ == "__main__":
    main()
