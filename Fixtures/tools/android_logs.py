"""Made Android logs of the crash of Fixtures/binaries/Android: identities and pcs are those of the built libraries, what belongs to the system is invented.

The grammar is that of AOSP: `tombstone_proto_to_text` in system/core's debuggerd (13), `Unwinder::FormatFrame` of libunwindstack (10), `Backtrace::FormatFrameData` of
libbacktrace (8), ART's `DumpNativeStack`. The meaning of pc in each is that of AndroidUnwinder.swift:

    13      pc = link address
    10      pc = link address - (p_vaddr - p_offset) of the executable segment, unless that holds the file's first byte
    8       pc = link address - link address of the executable mapping's first page + p_vaddr of a segment with the file's first byte
"""

import os
import re
import sys

import symbolizer

PAGE = 0x1000
BANNER = " ".join(["***"] * 16)
SEPARATOR = " ".join(["---"] * 16)
# Of each architecture: how far libunwindstack goes back from a return address, and the load of an item.
ADJUSTMENT = {"arm64-v8a": 4, "armeabi-v7a": 4, "x86_64": 1}
LOAD = {"arm64-v8a": r"uxtw #2", "armeabi-v7a": r"lsl #2", "x86_64": r",4\), %eax"}
CALL = {"arm64-v8a": "bl", "armeabi-v7a": "bl", "x86_64": "callq"}
FUNCTIONS = ["_ZN4shop4sellERK5Shelfi", "_ZN4shop5serveERK5Shelfi", "shop_open"]


class Library:
    def __init__(self, out, scratch, abi):
        self.abi = abi
        self.path = os.path.join(scratch, f"libshop-{abi}.so")
        self.debug = os.path.join(out, abi, "libshop.so.debug")
        text = symbolizer.run("llvm-readelf-19", "-lnW", self.path)
        self.id = re.search(r"Build ID: ([0-9a-f]+)", text)[1]
        segments = [[int(x, 16) for x in m] for m in re.findall(r"LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) (0x\w+) R E", text)]
        self.offset, self.address, self.size, _ = segments[0]
        self.symbols = {m[1]: int(m[0], 16) for m in re.findall(r"^(\w+) \w (\S+)$", symbolizer.run("llvm-nm-19", self.path), re.M)}
        self.width = 16 if abi != "armeabi-v7a" else 8
        self.lookups = self._lookups()

    def _lookups(self):
        """The link addresses of the stack: the load that fails in `sell`, and the calls in its callers."""
        code = symbolizer.run("llvm-objdump-19", "-d", "--no-show-raw-insn", self.path)
        found = []
        for index, name in enumerate(FUNCTIONS):
            body = re.search(rf"<{name}>:\n(.*?)(\n\n|\Z)", code, re.S)[1]
            for line in body.splitlines():
                match = re.match(r"\s+([0-9a-f]+):\s+(\S+)\s*(.*)", line)
                if not match:
                    continue
                wanted = re.search(LOAD[self.abi], match[3]) if index == 0 else match[2] == CALL[self.abi] and FUNCTIONS[index - 1] in match[3]
                if wanted:
                    found.append(int(match[1], 16))
                    break
        assert len(found) == 3, found
        return found

    def pc(self, release, link, index):
        """What the unwinder of that release prints. A return address has lost the call's length; a Thumb address keeps its lowest bit."""
        bias = self.address if self.offset == 0 else 0
        value = link
        if release <= 8:
            value = link - (self.address & -PAGE) + bias
        elif release <= 10 and self.offset != 0:
            value = link - (self.address - self.offset)
        return value | 1 if self.abi == "armeabi-v7a" and index > 0 else value

    @property
    def map_offset(self):
        return self.offset & -PAGE


def path(library, release):
    folder = {"arm64-v8a": "arm64", "armeabi-v7a": "arm", "x86_64": "x86_64"}[library.abi]
    # Since Android 11 there are two random parts.
    first = "~~x3mF8kYQ2b1cVd0pLw9zTg==/" if release >= 11 else ""
    return f"/data/app/{first}com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/lib/{folder}/libshop.so"


def rows(library, release, name=None, extra=""):
    """The three frames of the library, then the system's."""
    lines = []
    for index, link in enumerate(library.lookups):
        pc = library.pc(release, link, index)
        text = f"#{index:02d} pc {pc:0{library.width}x}  {name or path(library, release)}"
        if release <= 8 and library.map_offset and not name:
            text += f" (offset {library.map_offset:#x})"
        text += extra
        # The stripped library still exports this one.
        if index == 2:
            text += f" (shop_open+{link - (library.symbols['shop_open'] & ~1)})"
        if release >= 10:
            text += f" (BuildId: {library.id})"
        lines.append(text)
    art = "/apex/com.android.art" if release >= 11 else "/apex/com.android.runtime" if release == 10 else "/system"
    id_of_art = " (BuildId: e24a1818231cfb1649cb83a5d2869598)" if release >= 10 else ""
    id_of_libc = " (BuildId: 01331f74b0bb2cb958bdc15282b8ec7b)" if release >= 10 else ""
    lines += [
        f"#03 pc {0x222244:0{library.width}x}  {art}/lib64/libart.so (art_quick_generic_jni_trampoline+148){id_of_art}",
        f"#04 pc {0x20a2c4:0{library.width}x}  /data/app/com.example.shop/oat/arm64/base.odex (com.example.shop.Counter.open+116)",
        f"#05 pc {0x4456:0{library.width}x}  <anonymous:7b0a5d2000>",
        f"#06 pc {0xb63b0:0{library.width}x}  {art if release < 11 else '/apex/com.android.runtime'}/lib64/bionic/libc.so (__pthread_start(void*)+208){id_of_libc}",
    ]
    return lines


def fingerprint(release):
    version = {13: "13/TE1A.220922.012/9302419", 12: "12/SP1A.210812.016/7679548", 10: "10/QP1A.190711.020/5800535", 8: "8.1.0/OPM7.181205.001/5080180"}[release]
    return f"'google/example/example:{version}:user/release-keys'"


def registers(library):
    if library.abi == "x86_64":
        return ["    rax 0000000000000000  rbx 00007ec365075000  rcx 0000000000000000  rdx 0000000000000001",
                f"    rbp 00007ffdaea9be70  rsp 00007ffdaea9be70  rip {0x7b0a5d2000 + library.lookups[0]:016x}"]
    if library.abi == "armeabi-v7a":
        return ["    r0  00000000  r1  00000000  r2  00000000  r3  00000000", f"    ip  c5153f64  sp  ff88c8a4  lr  c514f5df  pc  {0xc5146000 + library.lookups[0]:08x}"]
    return ["    x0  0000000000000000  x1  0000000000000000  x2  0000000000000001  x3  0000000000000003",
            f"    lr  0000007b0a5e35b8  sp  0000007fe2ba6120  pc  {0x7b0a5d2000 + library.lookups[0]:016x}  pst 0000000060001000"]


def memory_map(library, release):
    base = 0x7B0A5D2000
    def pointer(value):
        return f"{value >> 32:08x}'{value & 0xFFFFFFFF:08x}" if library.width == 16 else f"{value & 0xFFFFFFFF:08x}"
    value = library.address - library.offset if release >= 11 or library.offset == 0 else 0
    bias = f" (load bias {value:#x})" if value else ""
    code = base + (library.address & -PAGE)
    lines = ["memory map (3 entries): (fault address prefixed with --->)", "--->Fault address falls at " + pointer(0) + " before any mapped regions"]
    if library.map_offset:
        lines.append(f"    {pointer(base)}-{pointer(base + PAGE * 2 - 1)} r--         0      2000  {path(library, release)} (BuildId: {library.id}){bias}")
    lines.append(f"    {pointer(code)}-{pointer(code + PAGE - 1)} r-x  {library.map_offset:8x}      1000  {path(library, release)} (BuildId: {library.id}){bias}")
    lines.append(f"    {pointer(0x7B20000000)}-{pointer(0x7B20000FFF)} rw-         0      1000  [anon:libc_malloc]")
    return lines


ABI = {"arm64-v8a": "arm64", "armeabi-v7a": "arm", "x86_64": "x86_64"}


def tombstone(library, release, name=None, extra=""):
    indent = "      " if release >= 11 else "    "
    lines = [BANNER, f"Build fingerprint: {fingerprint(release)}", "Revision: '0'", f"ABI: '{ABI[library.abi]}'"]
    if release >= 11:
        lines += ["Timestamp: 2023-05-06 07:08:09.123456789+0200", "Process uptime: 12s", "Cmdline: com.example.shop"]
    lines += ["pid: 9955, tid: 9981, name: counter  >>> com.example.shop <<<"]
    if release >= 11:
        lines += ["uid: 10123"]
    lines += ["signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0" + ("0" * 15 if release >= 11 else "")]
    if release >= 9:
        lines += ["Cause: null pointer dereference"]
    lines += registers(library) + [""]
    if release >= 13:
        lines += ["7 total frames"]
    lines += ["backtrace:"] + [indent + row for row in rows(library, release, name, extra)]
    return lines


def full_tombstone(library, release, name=None, extra=""):
    lines = tombstone(library, release, name, extra)
    if release >= 13:
        lines += ["", "deallocated by thread 9970:", "      " + rows(library, release, name, extra)[1].replace("#01", "#00"),
                  "      " + rows(library, release, name, extra)[2].replace("#02", "#01")]
    lines += ["", "memory near x0:", "    0000000000000000 ---------------- ----------------  ................", ""] + memory_map(library, release)
    lines += [SEPARATOR, "pid: 9955, tid: 9955, name: xample.shop  >>> com.example.shop <<<"] + registers(library)
    lines += ["", "backtrace:", "      #00 pc 00000000000a34b8  /apex/com.android.runtime/lib64/bionic/libc.so (__epoll_pwait+8) (BuildId: 01331f74b0bb2cb958bdc15282b8ec7b)",
              "      #01 pc 0000000000010dec  /system/lib64/libutils.so (android::Looper::pollInner(int)+144) (BuildId: 8aa4e7f9e5d10bb0f3d5bd7c29c3b1de)", "",
              "open files:", "    fd 0: /dev/null (unowned)"]
    return lines


def logcat(library, release):
    """As `logcat -v threadtime` prints it, while another process writes too."""
    lines = ["--------- beginning of crash", "05-06 07:08:09.001  9955  9981 F libc    : Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0 in tid 9981 (counter), pid 9955 (xample.shop)"]
    for index, line in enumerate(tombstone(library, release)):
        lines.append(f"05-06 07:08:09.{100 + index}  9999  9999 F DEBUG   : {line}")
        if index % 5 == 4:
            lines.append(f"05-06 07:08:09.{100 + index}  1568  1620 I ActivityManager: Showing crash dialog for package com.example.shop u{index}")
    return lines + ["05-06 07:08:10.000  1568  1620 W ActivityManager: Process com.example.shop has crashed"]


def anr(library):
    lines = ["----- pid 9955 at 2023-05-06 07:08:09.123456789+0200 -----", "Cmd line: com.example.shop", f"Build fingerprint: {fingerprint(13)}", "ABI: 'arm64'",
             "Build type: optimized", "suspend all histogram:\tSum: 591us 99% C.I. 3us-174.160us Avg: 12.574us Max: 201us", "DALVIK THREADS (2):",
             "\"counter\" prio=5 tid=9 Native", "  | group=\"main\" sCount=1 ucsCount=0 flags=1 obj=0x136c02c0 self=0xb400007cabc5c6f0",
             "  | sysTid=9981 nice=0 cgrp=top-app sched=0/0 handle=0x7b2011dcb0", "  | held mutexes="]
    lines += ["  native: " + row for row in rows(library, 13)[:4]]
    lines += ["  at com.example.shop.Counter.open(Native method)", "  at com.example.shop.Counter.run(Counter.java:41)", "  at java.lang.Thread.run(Thread.java:1012)", "",
              "\"main\" prio=5 tid=1 Blocked", "  | sysTid=9955 nice=-10 cgrp=top-app sched=0/0 handle=0x7ff0",
              "  at com.example.shop.MainActivity.onClick(MainActivity.java:17)", "  - waiting to lock <0x0d3a2f0a> (a java.lang.Object) held by thread 9",
              "  at android.os.Looper.loop(Looper.java:288)", "", "----- end 9955 -----"]
    return lines


def microdump(library):
    """What Breakpad's MicrodumpWriter logs: the registers are zero but for the pc, which is the base and the link address (the first segment is linked at 0)."""
    base = 0x7B0A5D2000
    context = bytearray(272)
    context[0:8] = (0x80000006).to_bytes(8, "little")
    context[264:272] = (base + library.lookups[0]).to_bytes(8, "little")
    id_bytes = bytes.fromhex(library.id)
    guid = id_bytes[3::-1] + id_bytes[5:3:-1] + id_bytes[7:5:-1] + id_bytes[8:16]
    lines = ["-----BEGIN BREAKPAD MICRODUMP-----", "V Shop:1.2.3", "O A arm64 08 aarch64 google/example/example:13/TE1A.220922.012/9302419:user/release-keys", "P Browser",
             "R 0000000B SIGSEGV 0000000000000000", "G UNKNOWN", "S 0 0000007FE2BA6120 0000007FE2BA6000 0000000000000010", "S 0000007FE2BA6000 " + "00" * 16,
             "C " + context.hex().upper(), f"M {base:016X} {0:016X} {0x14000:016X} {guid.hex().upper()}0 libshop.so",
             f"M {0x7F80295000:016X} {0:016X} {0x9E000:016X} 479D5438753E27F019F2C9980DDBF4F30 libc.so", "-----END BREAKPAD MICRODUMP-----"]
    return [f"05-06 07:08:09.100  9955  9981 F google-breakpad: {line}" for line in lines]


def write(directory, name, lines, ending="\n"):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8", newline="") as file:
        file.write(ending.join(lines) + ending)


def expected(directory, library, thread):
    """By frame and thread, because a pc is no address and differs from release to release."""
    rows = [{"address": hex(link), "link": link, "frame": index, "thread": thread} for index, link in enumerate(library.lookups)]
    symbolizer.write_expected(os.path.join(directory, "expected-rows.tsv"), library.debug, rows)


def main():
    out, scratch, logs = sys.argv[1:]
    symbolizer.check_version()
    arm64, arm, x86 = (Library(out, scratch, abi) for abi in ("arm64-v8a", "armeabi-v7a", "x86_64"))
    root = os.path.join(logs, "android-tombstone")
    case = os.path.join(root, "libshop-arm64")
    write(case, "tombstone-13.txt", full_tombstone(arm64, 13))
    write(case, "tombstone-13-crlf.txt", full_tombstone(arm64, 13), "\r\n")
    write(case, "tombstone-10.txt", full_tombstone(arm64, 10))
    write(case, "tombstone-8.txt", tombstone(arm64, 8))
    write(case, "logcat-13.txt", logcat(arm64, 13))
    write(case, "studio-13.txt", [f"2023-05-06 07:08:09.100 9999-9999/? A/DEBUG: {line}" for line in tombstone(arm64, 13)])
    # The Play console's form: `0x`, two blanks, no banner.
    play = [re.sub(r"^#(\d\d) pc ", r"  #\1  pc 0x", row) for row in rows(arm64, 13)]
    write(case, "play-console.txt", ["pid: 0, tid: 9981 >>> com.example.shop <<<", "", "backtrace:"] + play)
    expected(case, arm64, 9981)
    case = os.path.join(root, "libshop-arm")
    write(case, "tombstone-12.txt", tombstone(arm, 12))
    expected(case, arm, 9981)
    case = os.path.join(root, "libshop-x86_64")
    apk = "/data/app/~~x3mF8kYQ2b1cVd0pLw9zTg==/com.example.shop-5hTn0uJrKc7eQyW2aXbS1A==/base.apk"
    write(case, "apk-13.txt", full_tombstone(x86, 13, apk + "!libshop.so", " (offset 0x5000)"))
    # The library inside is not named: its build ID tells it.
    write(case, "apk-unnamed-13.txt", tombstone(x86, 13, apk, " (offset 0x5000)"))
    write(case, "tombstone-10.txt", tombstone(x86, 10))
    write(case, "tombstone-8.txt", tombstone(x86, 8))
    expected(case, x86, 9981)
    write(os.path.join(logs, "microdump", "libshop-arm64"), "microdump.txt", microdump(arm64))
    case = os.path.join(logs, "android-anr", "libshop")
    write(case, "anr-13.txt", anr(arm64))
    expected(case, arm64, 9)


main()
