"""CrashExample's made crash reports: `.ips` as macOS 12 writes it, and text as macOS 12 and iOS 13 write it.

CrashExample's UUID, offsets and sizes are those of the built arm64 slice; the system's images are invented.
"""

import json
import os
import uuid

import symbolizer

LOAD_ADDRESS = 0x10289C000   # slid: a multiple of arm64's 16 KiB page
STACK = 0x16D563000

# name, path, load address, size
SYSTEM = {name: (path, base, size) for name, path, base, size in [
    ("libsystem_kernel.dylib", "/usr/lib/system/libsystem_kernel.dylib", 0x18A3E8000, 0x38000),
    ("libsystem_pthread.dylib", "/usr/lib/system/libsystem_pthread.dylib", 0x18A420000, 0xD000),
    ("libsystem_c.dylib", "/usr/lib/system/libsystem_c.dylib", 0x18A2C9000, 0x82000),
    ("libobjc.A.dylib", "/usr/lib/libobjc.A.dylib", 0x18A180000, 0x3F000),
    ("CoreFoundation", "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation", 0x18A48F000, 0x4E5000),
    ("AppKit", "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit", 0x18CDD4000, 0xF0B000),
    ("dyld", "/usr/lib/dyld", 0x102A64000, 0x60000),
]}
PATH = "/Applications/CrashExample.app/Contents/MacOS/CrashExample"


class Frame:
    """`offset` is from the image's base. `link` is the link address to look up, None where no fixture can answer."""

    def __init__(self, image, offset, symbol=None, location=0, link=None):
        self.image, self.offset, self.symbol, self.location, self.link = image, offset, symbol, location, link

    @property
    def base(self):
        return LOAD_ADDRESS if self.image == "CrashExample" else SYSTEM[self.image][1]

    @property
    def address(self):
        return self.base + self.offset


def system(image, offset, symbol, location):
    return Frame(image, offset, symbol, location)


def own(part, address, exact=False):
    """A frame in CrashExample: a return address is looked up one byte earlier, inside its call."""
    return Frame("CrashExample", address - part.base, link=address if exact else address - 1)


RAISING = [
    system("CoreFoundation", 560840, "__exceptionPreprocess", 240),
    system("libobjc.A.dylib", 114388, "objc_exception_throw", 60),
    system("CoreFoundation", 1407932, "-[NSObject(NSObject) doesNotRecognizeSelector:]", 0),
    system("CoreFoundation", 615764, "___forwarding___", 1764),
    system("CoreFoundation", 613824, "_CF_forwarding_prep_0", 96),
]
ABORTING = [
    system("libsystem_kernel.dylib", 38872, "__pthread_kill", 8),
    system("libsystem_pthread.dylib", 30448, "pthread_kill", 288),
    system("libsystem_c.dylib", 499944, "abort", 180),
    system("libobjc.A.dylib", 165672, "_objc_terminate()", 144),
    system("libobjc.A.dylib", 114800, "objc_exception_rethrow", 44),
]
LAUNCHING = system("AppKit", 222788, "-[NSApplication finishLaunching]", 72)
START = system("dyld", 20620, "start", 520)
IDLE = [system("libsystem_pthread.dylib", 8188, "start_wqthread", 0)]


def system_images(part, mentioned):
    """(name, path, base, size, UUID) of the images with these names, CrashExample first."""
    rows = [("CrashExample", PATH, LOAD_ADDRESS, part.text_size, part.uuid.lower())]
    for name, (path, base, size) in SYSTEM.items():
        if name in mentioned:
            rows.append((name, path, base, size, str(uuid.uuid5(uuid.NAMESPACE_URL, "made:" + name))))
    return rows


class Report:
    """`threads`: lists of frames; the first is the crashed one. `exception`: the frames of an uncaught NSException."""

    def __init__(self, part, threads, exception, kind, signal, number, indicator, codes, subtype):
        self.part, self.threads, self.exception = part, threads, exception
        self.kind, self.signal, self.number, self.indicator = kind, signal, number, indicator
        self.codes, self.subtype = codes, subtype

    def images(self):
        return system_images(self.part, {f.image for frames in [self.exception, *self.threads] for f in frames})

    def registers(self):
        pc = self.threads[0][0].address
        values = {f"x{n}": 0x100 + n for n in range(29)}
        values.update(fp=STACK + 0x340, lr=self.threads[0][1].address, sp=STACK + 0x320, pc=pc)
        return values


def ips(report, reason):
    images = report.images()
    index = {image[0]: position for position, image in enumerate(images)}

    def frame(f):
        keys = {"imageOffset": f.offset}
        if f.symbol:
            keys.update(symbol=f.symbol, symbolLocation=f.location)
        return dict(keys, imageIndex=index[f.image])

    registers = report.registers()
    state = {"x": [{"value": registers[f"x{n}"]} for n in range(29)], "flavor": "ARM_THREAD_STATE64"}
    state.update({name: {"value": registers[name]} for name in ("lr", "fp", "sp", "pc")})
    state["pc"]["matchesCrashFrame"] = 1
    header = {
        "app_name": "CrashExample", "timestamp": "2022-02-11 18:22:10.00 +0000", "app_version": "1.0",
        "slice_uuid": report.part.uuid.lower(), "build_version": "7", "platform": 1, "share_with_app_devs": 0,
        "is_first_party": 0, "bug_type": "309", "os_version": "macOS 12.2 (21D49)",
        "incident_id": "5D7B1E0C-3C0B-4C57-9F0E-0B6A5B7C0001", "name": "CrashExample",
    }
    body = {
        "uptime": 8700, "procLaunch": "2022-02-11 18:22:09.4012 +0000", "procRole": "Foreground", "version": 2,
        "userID": 501, "modelCode": "MacBookPro18,1", "coalitionID": 1204,
        "osVersion": {"train": "macOS 12.2", "build": "21D49", "releaseType": "User"},
        "captureTime": "2022-02-11 18:22:10.7740 +0000", "incident": header["incident_id"], "pid": 5120,
        "cpuType": "ARM-64", "procName": "CrashExample", "procPath": PATH,
        "bundleInfo": {"CFBundleShortVersionString": "1.0", "CFBundleVersion": "7",
                       "CFBundleIdentifier": "org.example.CrashExample"},
        "parentProc": "launchd", "parentPid": 1, "crashReporterKey": "00000000-0000-0000-0000-000000000000",
        "sip": "enabled", "isCorpse": 1,
        "exception": {"codes": ", ".join(f"0x{c:016x}" for c in report.codes), "rawCodes": report.codes,
                      "type": report.kind, "signal": report.signal},
        "termination": {"flags": 0, "code": report.number, "namespace": "SIGNAL", "indicator": report.indicator,
                        "byProc": "CrashExample", "byPid": 5120},
    }
    if report.subtype:
        body["exception"]["subtype"] = report.subtype
    if report.exception:
        body["asi"] = {"CoreFoundation": [
            "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: '" + reason + "'",
            "terminating with uncaught exception of type NSException"]}
        body["lastExceptionBacktrace"] = [frame(f) for f in report.exception]
    body["faultingThread"] = 0
    threads = []
    for number, frames in enumerate(report.threads):
        thread = {"id": 29481 + number}
        if number == 0:
            thread = {"triggered": True, "id": 29481, "threadState": state, "queue": "com.apple.main-thread"}
        threads.append(dict(thread, frames=[frame(f) for f in frames]))
    body["threads"] = threads
    body["usedImages"] = [
        dict({"source": "P", "arch": "arm64" if name == "CrashExample" else "arm64e", "base": base, "size": size,
              "uuid": identity, "path": path, "name": name},
             **({"CFBundleIdentifier": "org.example.CrashExample", "CFBundleShortVersionString": "1.0",
                 "CFBundleVersion": "7"} if name == "CrashExample" else {}))
        for name, path, base, size, identity in images]
    body["sharedCache"] = {"base": 6567477248, "size": 3153133568, "uuid": str(uuid.uuid5(uuid.NAMESPACE_URL, "made:cache"))}
    body["legacyInfo"] = {"threadTriggered": {"queue": "com.apple.main-thread"}}
    return (json.dumps(header, separators=(",", ":")) + "\n" + as_apple_writes_it(body)).replace("/", "\\/") + "\n"


def as_apple_writes_it(body):
    """A key of the report to a line, its value in one piece, but the images one member to a line; a space before the
    colons of the pretty parts. (The caller escapes slashes, as NSJSONSerialization does: they stand in strings only.)"""
    lines = []
    for key, value in body.items():
        pretty = {"indent": 2, "separators": (",", " : ")} if key == "usedImages" else {"separators": (",", ":")}
        lines.append(f'  "{key}" : {json.dumps(value, **pretty)}')
    return "{\n" + ",\n".join(lines) + "\n}"


def text_frames(frames, style):
    rows = []
    for index, f in enumerate(frames):
        where = f"{f.symbol} + {f.location}" if f.symbol else f"{f.base:#x} + {f.offset}"
        address = f"{f.address:#18x}" if style == "macOS" else f"0x{f.address:016x}"
        rows.append(f"{index:<4}{f.image:<30}\t{address} {where}")
    return rows


def crash(report, reason, style):
    mac = style == "macOS"
    lines = [] if mac else ["Incident Identifier: 5D7B1E0C-3C0B-4C57-9F0E-0B6A5B7C0002",
                            "CrashReporter Key:   0000000000000000000000000000000000000000",
                            "Hardware Model:      iPhone12,1"]
    lines += [f"{key + ':':<{23 if mac else 21}}{value}" for key, value in [
        ("Process", "CrashExample [5120]"), ("Path", PATH), ("Identifier", "org.example.CrashExample"),
        ("Version", "1.0 (7)"), ("Code Type", "ARM-64 (Native)"), ("Parent Process", "launchd [1]")]]
    lines += ["", ""]
    lines += [f"{key + ':':<{23 if mac else 21}}{value}" for key, value in [
        ("Date/Time", "2022-02-11 18:22:10.7740 +0000"),
        ("OS Version", "macOS 12.2 (21D49)" if mac else "iPhone OS 13.1.3 (17A878)"),
        ("Report Version", "12" if mac else "104")]]
    lines.append("")
    if mac:
        lines += ["Crashed Thread:        0  Dispatch queue: com.apple.main-thread", ""]
    pad = 23 if mac else 17
    lines.append(f"{'Exception Type:':<{pad}}{report.kind} ({report.signal})")
    if report.subtype:
        lines.append(f"{'Exception Subtype:':<{pad}}".ljust(pad) + ("" if mac else " ") + report.subtype)
    lines.append(f"{'Exception Codes:':<{pad}}" + ", ".join(f"0x{c:016x}" for c in report.codes))
    lines.append(f"{'Termination Reason:':<{pad}}".ljust(pad) + ("" if mac else " ")
                 + f"Namespace SIGNAL, Code {report.number}{'' if mac else ' '}" + (" " if mac else "") + report.indicator)
    if not mac:
        lines.append("Triggered by Thread:  0")
    lines.append("")
    if report.exception:
        lines += ["Application Specific Information:", "*** Terminating app due to uncaught exception "
                  "'NSInvalidArgumentException', reason: '" + reason + "'", "", "", "Last Exception Backtrace:"]
        lines += text_frames(report.exception, style) + [""]
    for number, frames in enumerate(report.threads):
        if mac:
            lines.append("Thread 0 Crashed::  Dispatch queue: com.apple.main-thread" if number == 0 else f"Thread {number}:")
        else:
            lines += ["Thread 0 name:  Dispatch queue: com.apple.main-thread", "Thread 0 Crashed:"] if number == 0 \
                else [f"Thread {number}:"]
        lines += text_frames(frames, style) + [""]
    registers = list(report.registers().items())
    lines += ["", "Thread 0 crashed with ARM Thread State (64-bit):"]
    for start in range(0, len(registers), 4):
        lines.append("  " + "  ".join(f"{name:>3}: 0x{value:016x}" for name, value in registers[start:start + 4]).rstrip())
    lines += ["", "Binary Images:"]
    for name, _, base, size, identity in report.images():
        path = dict([("CrashExample", PATH)] + [(n, v[0]) for n, v in SYSTEM.items()])[name]
        last = base + size - 1
        if mac:
            version = "org.example.CrashExample (1.0)" if name == "CrashExample" else f"{name} (*)"
            lines.append(f"{base:#18x} - {last:#18x} {version} <{identity}> {path}")
        else:
            arch = "arm64" if name == "CrashExample" else "arm64e"
            lines.append(f"{base:#x} - {last:#x} {name} {arch}  <{identity.replace('-', '')}> {path}")
    return "\n".join(lines) + "\n" + ("" if mac else "\nEOF\n")


def write_case(logs, name, files, report):
    """One table for the report, whatever format it is written in: the frames are the same."""
    rows = []
    for thread, frames in [("exception", report.exception), *enumerate(report.threads)]:
        for index, f in enumerate(frames):
            rows.append({"address": hex(f.address), "link": f.link, "frame": index, "thread": thread})
    for log_format, file_name, text in files:
        directory = os.path.join(logs, log_format, name)
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, file_name), "w", encoding="utf-8") as file:
            file.write(text)
        symbolizer.write_expected(os.path.join(directory, "expected.tsv"), report.part.dwarf, rows, report.part.arch)


def make(logs, part, returns, faulting, reason):
    """`returns`: CrashExample's return addresses, innermost first, `main` last. `faulting`: the instruction in
    the innermost of them that crashes in the second report."""
    inner, main = [own(part, a) for a in returns[:-1]], own(part, returns[-1])

    raised = Report(part, [ABORTING + [LAUNCHING, main, START], IDLE], RAISING + inner + [LAUNCHING, main, START],
                    "EXC_CRASH", "SIGABRT", 6, "Abort trap: 6", [0, 0], None)
    write_case(logs, "CrashExample-exception", [
        ("apple-ips", "exception.ips", ips(raised, reason)),
        ("apple-crash", "exception.crash", crash(raised, reason, "macOS"))], raised)

    outer = inner[1:] + [LAUNCHING, main, START]
    faulted = Report(part, [[own(part, faulting, exact=True)] + outer, IDLE], [],
                     "EXC_BAD_ACCESS", "SIGSEGV", 11, "Segmentation fault: 11", [1, 0x13B0],
                     "KERN_INVALID_ADDRESS at 0x00000000000013b0")
    write_case(logs, "CrashExample-bad-access", [
        ("apple-ips", "bad-access.ips", ips(faulted, reason)),
        ("apple-crash", "bad-access.crash", crash(faulted, reason, "iOS"))], faulted)
