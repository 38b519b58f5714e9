"""Makes CrashExample's logs in the other forms of Apple's text report, and as PLCrashReporter writes them. Usage: apple_text_logs.py LOGS

LOGS is Fixtures/logs. Each log tells a crash that is there already, so the expected answers are that log's own:

- the old versions of the text report tell the stack of nsexception-console/CrashExample (x86_64, never moved);
- apple-ips-legacy is a header line above the text of apple-crash/CrashExample-bad-access;
- plcrashreporter is made from the .ips logs, field by field as PLCrashReport.proto numbers them.
"""

import os
import sys
import textwrap

from apple_json_logs import CPU, copy_table, frames, read_ips

UUID = "4C4C4415-5555-3144-A1EE-F64263BE1FB5"   # of the x86_64 slice: binaries/INDEX.tsv
PATH = "/Applications/CrashExample.app/Contents/MacOS/CrashExample"
IDENTIFIER = "org.example.CrashExample"

# The stack of 2008's console log: who is at each address, and the nearest name where the reporter knew one.
STACK = [
    (0x96AE6DEC, "com.apple.CoreFoundation", "___TERMINATING_DUE_TO_UNCAUGHT_EXCEPTION___", 12),
    (0x94D9B23B, "libobjc.A.dylib", "objc_exception_throw", 43),
    (0x96AEE22A, "com.apple.CoreFoundation", "-[NSObject doesNotRecognizeSelector:]", 186),
    (0x96AEC6CC, "com.apple.CoreFoundation", "___forwarding___", 892),
    (0x96AEC8B2, "com.apple.CoreFoundation", "_CF_forwarding_prep_0", 50),
    (0x1A95, IDENTIFIER, None, 0),
    (0x1A01, IDENTIFIER, None, 0),
    (0x19BE, IDENTIFIER, None, 0),
    (0x927C38BA, "com.apple.AppKit", "-[NSApplication finishLaunching]", 602),
    (0x18ED, IDENTIFIER, None, 0),
    (0x927C322E, "com.apple.AppKit", "-[NSApplication run]", 82),
]
# identifier, first byte, last byte, version, path
IMAGES = [
    (IDENTIFIER, 0x1000, 0x1FFF, "1.0 (7)", PATH),
    ("com.apple.AppKit", 0x927BB000, 0x92FB8FFF, "6.5.4 (949.35)", "/System/Library/Frameworks/AppKit.framework/Versions/C/AppKit"),
    ("libobjc.A.dylib", 0x94D99000, 0x94E78FFF, "??? (???)", "/usr/lib/libobjc.A.dylib"),
    ("com.apple.CoreFoundation", 0x96A75000, 0x96BA7FFF, "6.5.4 (476.15)",
     "/System/Library/Frameworks/CoreFoundation.framework/Versions/A/CoreFoundation"),
]


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


# MARK: The old versions of the text report


def rows(hexadecimal_offsets=False, oldest=False):
    lines = []
    for index, (address, image, symbol, offset) in enumerate(STACK):
        # Before 10.5 the reporter printed the nearest symbol, however far, or none; here none.
        what = f"{symbol} + {hex(offset) if hexadecimal_offsets else offset}" if symbol else f"0x1000 + {address - 0x1000}"
        if len(image) > 30:
            image = "..." + image[-27:]
        lines.append(f"{index:<4}{image:<30}\t{address:#010x} {what}")
    return lines


def before_leopard(version, system, date, hexadecimal_offsets):
    lines = [
        "**********", "", "Host Name:      example", f"Date/Time:      {date}", f"OS Version:     {system}", f"Report Version: {version}",
        "", "Command: CrashExample", f"Path:    {PATH}", "Parent:  WindowServer [69]", "", "Version: 1.0 (7)", "", "PID:    41720",
        "Thread: 0", "", "Exception:  EXC_BREAKPOINT (0x0006)", "Code[0]:    0x00000001", "Code[1]:    0x96ae6dec", "",
        "Thread 0 Crashed:", *rows(hexadecimal_offsets), "", "Thread 0 crashed with X86 Thread State (32-bit):",
        "  eax: 0x00000000    ebx: 0x96ae6ddc ecx: 0x00000000 edx: 0x00000000", "", "Binary Images Description:"]
    lines += [f"{first:#10x} - {last:#10x} {name} {number if name != 'libobjc.A.dylib' else ''}\t{path}"
              for name, first, last, number, path in IMAGES]
    return "\n".join(lines) + "\n\nModel: iMac4,1\n"


def leopard(version, system, date, uuid):
    """10.5 to 10.10: versions 6 to 11."""
    head = [("Process", "CrashExample [41720]"), ("Path", PATH), ("Identifier", IDENTIFIER), ("Version", "1.0 (7)"),
            ("Code Type", "X86-64 (Native)"), ("Parent Process", "launchd [98]"), None, ("Date/Time", date), ("OS Version", system),
            ("Report Version", version), None, ("Exception Type", "EXC_BREAKPOINT (SIGTRAP)"),
            ("Exception Codes", "0x0000000000000001, 0x0000000096ae6dec"), ("Crashed Thread", "0")]
    lines = [f"{entry[0] + ':':<17}{entry[1]}" if entry else "" for entry in head]
    lines += ["", "Application Specific Information:",
              "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', reason: 'a < b & c'", "",
              "Thread 0 Crashed:" + ("" if version < 9 else ":  Dispatch queue: com.apple.main-thread"), *rows(), "",
              "Thread 0 crashed with X86 Thread State (64-bit):",
              "  rax: 0x0000000000000000  rbx: 0x0000000096ae6ddc  rcx: 0x0000000000000000  rdx: 0x0000000000000000", "", "Binary Images:"]
    for name, first, last, number, path in IMAGES:
        own = name == IDENTIFIER
        identity = f" <{uuid}>" if own else ""
        lines.append(f"{first:#10x} - {last:#10x} {'+' if own else ' '}{name} {number}{identity} {path}")
    return "\n".join(lines) + "\n\n"


def mailed(text):
    """A mailer breaks what is longer than 72 characters, at blanks only."""
    wrap = textwrap.TextWrapper(72, expand_tabs=False, replace_whitespace=False, drop_whitespace=True, break_long_words=False,
                                break_on_hyphens=False)
    return "\n".join("\n".join(wrap.wrap(line)) if len(line) > 72 else line for line in text.split("\n"))


def html(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def versions(logs):
    folder = f"{logs}/apple-crash/CrashExample-versions"
    plain = UUID.replace("-", "").lower()
    version6 = leopard(6, "Mac OS X 10.5.5 (9F33)", "2008-10-26 13:25:43.385 +0100", plain)
    write(f"{folder}/6-html.crash", html(version6))
    write(f"{folder}/6-mailed.crash", mailed(version6))
    write(f"{folder}/9.crash", leopard(9, "Mac OS X 10.7.5 (11G63)", "2012-11-02 09:15:00.101 +0100", UUID))
    write(f"{folder}/11.crash", leopard(11, "Mac OS X 10.9.5 (13F34)", "2014-10-20 21:01:59.007 -0700", UUID))
    copy_table(f"{logs}/nsexception-console/CrashExample/expected.tsv", f"{folder}/expected.tsv", lambda line: line + "0")
    write(f"{folder}/2.crash", before_leopard(2, "10.3.9 (Build 7W98)", "2005-05-01 10:00:00 +0200", True))
    write(f"{folder}/4.crash", before_leopard(4, "10.4.11 (Build 8S2167)", "2007-12-01 18:30:00.250 -0500", False))


def legacy(logs):
    text = open(f"{logs}/apple-crash/CrashExample-bad-access/bad-access.crash", encoding="utf-8").read()
    header = ('{"app_name":"CrashExample","timestamp":"2022-02-11 18:22:10.00 +0000","app_version":"1.0",'
              '"slice_uuid":"4c4c44fc-5555-3144-a11b-e947a8e8e6fe","adam_id":0,"build_version":"7","bundleID":"org.example.CrashExample",'
              '"share_with_app_devs":false,"is_first_party":false,"bug_type":"109","os_version":"iPhone OS 13.1.3 (17A878)",'
              '"incident_id":"5D7B1E0C-3C0B-4C57-9F0E-0B6A5B7C0002","name":"CrashExample"}')
    folder = f"{logs}/apple-ips-legacy/CrashExample-bad-access"
    write(f"{folder}/bad-access.ips", header + "\n" + text)
    copy_table(f"{logs}/apple-crash/CrashExample-bad-access/expected.tsv", f"{folder}/expected.tsv", lambda line: line)


# MARK: PLCrashReporter


def varint(number):
    result = b""
    while number >= 0x80:
        result += bytes([number & 0x7F | 0x80])
        number >>= 7
    return result + bytes([number])


def message(*fields):
    """(number, value) of each field: an integer, text or bytes; what is None is left out."""
    result = b""
    for number, value in fields:
        if value is None:
            continue
        if isinstance(value, int):
            result += varint(number << 3) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            result += varint(number << 3 | 2) + varint(len(data)) + data
    return result


def plcrash(header, body):
    def stack(list_of_frames):
        result = []
        for _, address, symbol, start in frames(body, list_of_frames):
            # The reporter finds names in symbol tables, where C's have an underscore.
            known = message((1, symbol if symbol[0] in "-+" else "_" + symbol), (2, start)) if symbol else None
            result.append(message((3, address), (6, known)))
        return result

    fields = [
        (9, message((1, 0), (2, bytes(range(16))))),
        (1, message((1, 0), (2, "12.2"), (5, "21D49"), (3, 6), (4, 1644603730))),   # 2022-02-11 18:22:10 UTC
        (8, message((1, header["app_name"] + "Book"), (2, message((1, 1), (2, 16777228), (3, 2))), (3, 8), (4, 8))),
        (2, message((1, "org.example.CrashExample"), (2, "7"), (3, "1.0"))),
        (7, message((1, body["procName"]), (2, body["pid"]), (3, body["procPath"]), (4, "launchd"), (5, 1), (6, 1))),
    ]
    for index, thread in enumerate(body["threads"]):
        registers = []
        if thread.get("triggered"):
            registers = [(4, message((1, name), (2, thread["threadState"][name]["value"]))) for name in ("pc", "lr", "sp")]
        fields.append((3, message((1, index), *[(2, frame) for frame in stack(thread["frames"])],
                                  (3, int(bool(thread.get("triggered")))), *registers)))
    for image in body["usedImages"]:
        cpu, subtype = CPU[image["arch"]]
        fields.append((4, message((1, image["base"]), (2, image["size"]), (3, image["path"]),
                                  (4, bytes.fromhex(image["uuid"].replace("-", ""))), (5, message((1, 1), (2, cpu), (3, subtype))))))
    if "lastExceptionBacktrace" in body:
        reason = body["asi"]["CoreFoundation"][0].split("reason: '")[1].rstrip("'")
        fields.append((5, message((1, "NSInvalidArgumentException"), (2, reason),
                                  *[(3, frame) for frame in stack(body["lastExceptionBacktrace"])])))
        fields.append((6, message((1, "SIGABRT"), (2, "#0"), (3, body["threads"][0]["threadState"]["pc"]["value"]))))
    else:
        code = body["exception"]["rawCodes"][1]
        fields.append((6, message((1, "SIGSEGV"), (2, "SEGV_MAPERR"), (3, code), (4, message((1, 1), (2, 1), (2, code))))))
    return b"plcrash\x01" + message(*fields)


def main(logs):
    versions(logs)
    legacy(logs)
    for case in ("exception", "bad-access"):
        source = f"{logs}/apple-ips/CrashExample-{case}"
        folder = f"{logs}/plcrashreporter/CrashExample-{case}"
        write(f"{folder}/{case}.plcrash", plcrash(*read_ips(f"{source}/{case}.ips")))
        copy_table(f"{source}/expected.tsv", f"{folder}/expected.tsv", lambda line: line)


main(*sys.argv[1:])
