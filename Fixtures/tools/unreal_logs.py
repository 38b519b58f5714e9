"""Makes logs in Unreal Engine's grammar of a real crash: SwiftFerry's, whose addresses and images Swift's backtracer has told.

Usage: unreal_logs.py LOGS

Reads `swift-backtrace/SwiftFerry/chain.json` (addresses, images) and `expected-llvm-symbolizer.tsv` (the answers), writes `unreal/SwiftFerry/crash.log` and `expected-crash.log`. Rows follow
FGenericPlatformStackWalk::SymbolInfoToHumanReadableString: `0x%016llx Module!UnknownFunction(0xOFFSET)`, where the offset is that of the address looked up (one byte less for all but a crash's first).
"""

import os
import sys

import swift_logs
import symbolizer

HEAD = """[2026.11.21-10.00.00:042][  0]LogInit: Display: Engine is initialized. Leaving FEngineLoop::Init()
Signal 11 caught.
CommonUnixCrashHandler: Signal=11
[2026.11.21-10.00.03:777][ 85]LogCore: === Critical error: ===
Unhandled Exception: SIGSEGV: invalid attempt to read memory at address 0x0000000000000018

[2026.11.21-10.00.03:777][ 85]LogCore: Fatal error!

"""
TAIL = """
[2026.11.21-10.00.03:786][ 85]LogExit: Executing StaticShutdownAfterError
Malloc Size=131160 LargeMemoryPoolOffset=393352
"""


def main(logs):
    source = os.path.join(logs, "swift-backtrace", "SwiftFerry")
    with open(os.path.join(source, "chain.json"), "rb") as file:
        report = swift_logs.report_of(file.read())
    bases = {image["name"]: int(image["baseAddress"], 16) for image in report["images"]}
    answers = {}
    with open(os.path.join(source, "expected-llvm-symbolizer.tsv"), encoding="utf-8") as file:
        for line in file.read().splitlines()[1:]:
            cells = line.split("\t")
            answers.setdefault(cells[0], []).append(cells)
    names = symbolizer.simplified({cells[4] for rows in answers.values() for cells in rows})
    bare, answered = [], []
    frames = [frame for frame in report["threads"][0]["frames"] if "address" in frame]
    for number, frame in enumerate(frames):
        address, module = int(frame["address"], 16), frame["image"]
        head = f"0x{address:016x} {module}!"
        bare.append(f"{head}UnknownFunction(0x{address - (number > 0) - bases[module]:x})")
        answered += [f"{head}{names[cells[4]]} [{cells[5]}:{cells[6]}]" for cells in answers[frame["address"]]]
    directory = os.path.join(logs, "unreal", "SwiftFerry")
    for name, rows in (("crash.log", bare), ("expected-crash.log", answered)):
        swift_logs.write(directory, name, (HEAD + "\n".join(rows) + "\n" + TAIL).encode())


main(*sys.argv[1:])
