"""Makes CrashExample's logs and their expected answers. Usage: crash_example_logs.py OUT SOURCES LOGS

The addresses inside CrashExample are read from the built binary (the instruction after each call); the system's are
invented, of the size that the systems of the time had. Names, files and lines come from llvm-symbolizer.
"""

import os
import sys

import apple_panics
import apple_reports
import apple_trees
import symbolizer
from macho import Slice, line_of

DELEGATE = "-[CrashExampleAppDelegate %s]"
REASON = "-[CrashExampleAppDelegate runTransitionOfKind:]: unrecognized selector sent to instance 0x%x"

# Innermost first: (function, source file, the text of the line that makes the call).
CHAIN = [
    (DELEGATE % "performTransition", "CrashExampleAppDelegate.m", "[self runTransitionOfKind:_kind];"),
    (DELEGATE % "showDetail:", "CrashExampleAppDelegate.m", "[self performTransition];"),
    (DELEGATE % "applicationDidFinishLaunching:", "CrashExampleAppDelegate.m", "[self showDetail:notification];"),
    ("main", "main.m", "[delegate applicationDidFinishLaunching:nil];"),
]

# What Leopard's 32-bit CoreFoundation, libobjc and AppKit would have been at: above 0x90000000, so unanswerable here.
LEOPARD_RAISE = [2528013804, 2497294907, 2528043562, 2528036556, 2528037042]
LEOPARD_CALLERS = [2457614522, 2457612846]
# A 64-bit system's, for the arm64 log: the shared cache.
ARM64_RAISE = [6602453320, 6598706448, 6603439396, 6602647196, 6604019968]
ARM64_CALLERS = [6597542120, 4299293012]

# image, symbol, offset into it: the rows of the numbered forms, matching the addresses above.
RAISE_ROWS = [
    ("CoreFoundation", "__exceptionPreprocess", 164),
    ("libobjc.A.dylib", "objc_exception_throw", 60),
    ("CoreFoundation", "-[NSObject(NSObject) doesNotRecognizeSelector:]", 166),
    ("CoreFoundation", "___forwarding___", 1516),
    ("CoreFoundation", "_CF_forwarding_prep_0", 96),
]
CALLER_ROWS = [("AppKit", "-[NSApplication finishLaunching]", 72), ("dyld", "start", 520)]


def write(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
        file.write(text)


def stack(part, sources, raising, callers):
    """Return addresses, innermost first, with the image's link address where it is CrashExample's."""
    own = [part.return_address(function, line_of(f"{sources}/{file}", text)) for function, file, text in CHAIN]
    # In the article's program too, AppKit stood between main and the delegate.
    return [(a, None) for a in raising] + [(a, a) for a in own[:3]] + [(callers[0], None)] + \
        [(own[3], own[3])] + [(callers[1], None)]


def expected(directory, name, addresses, part):
    rows = [{"address": f"{raw:#x}", "link": None if link is None else link - 1, "frame": index}
            for index, (raw, link) in enumerate(addresses)]
    symbolizer.write_expected(os.path.join(directory, name), part.dwarf, rows, part.arch)


def console_2008(addresses):
    """Mac OS X 10.5: NSLog's prefix, then decimal return addresses."""
    prefix = "2008-10-26 13:25:43.%03d CrashExample[41720:20b] "
    lines = [prefix % 379 + "*** Terminating app due to uncaught exception 'NSInvalidArgumentException', "
             "reason: '*** " + REASON % 0x1073f0 + "'", prefix % 385 + "Stack: ("]
    lines += [f"    {raw}" + ("," if index + 1 < len(addresses) else "") for index, (raw, _) in enumerate(addresses)]
    return "\n".join(lines) + "\n)\n"


def numbered_rows(addresses, part, digits):
    """The rows that -[NSException callStackSymbols] gives: index, image, address, nearest name and offset."""
    system = iter(RAISE_ROWS + CALLER_ROWS)
    lines = []
    for index, (raw, link) in enumerate(addresses):
        if link is None:
            image, symbol, offset = next(system)
        else:
            image, symbol, offset = "CrashExample", "CrashExample", link - part.base
        lines.append(f"\t{index:<3} {image:<35} 0x{raw:0{digits}x} {symbol} + {offset}")
    return "\n".join(lines)


def first_throw_2010(addresses, part):
    """Mac OS X 10.6 and 10.7, iOS 4."""
    prefix = "2010-09-14 09:41:07.%03d CrashExample[2214:a0f] "
    return (prefix % 118 + REASON % 0x100115f70 + "\n" + prefix % 121 + "*** Terminating app due to uncaught exception "
            "'NSInvalidArgumentException', reason: '" + REASON % 0x100115f70 + "'\n*** Call stack at first throw:\n(\n"
            + numbered_rows(addresses, part, 16) + "\n)\nterminate called after throwing an instance of 'NSException'\n")


def first_throw_2012(addresses):
    """iOS 5 and later without symbols: one line of hexadecimal addresses, and no prefix in front of the stack."""
    return ("2012-05-02 17:03:55.604 CrashExample[763:707] *** Terminating app due to uncaught exception "
            "'NSInvalidArgumentException', reason: '" + REASON % 0x1dd4f0 + "'\n*** First throw call stack:\n("
            + " ".join(f"0x{raw:x}" for raw, _ in addresses)
            + ")\nlibc++abi.dylib: terminate called throwing an exception\n")


def first_throw_2022(addresses, part):
    """macOS 12: the numbered form under the later heading."""
    prefix = "2022-02-11 18:22:10.%03d CrashExample[5120:73f1] "
    return (prefix % 771 + REASON % 0x600000c0c010 + "\n" + prefix % 774 + "*** Terminating app due to uncaught exception "
            "'NSInvalidArgumentException', reason: '" + REASON % 0x600000c0c010 + "'\n*** First throw call stack:\n(\n"
            + numbered_rows(addresses, part, 16) + "\n)\nlibc++abi: terminating with uncaught exception of type NSException\n")


def queries(directory, part, addresses):
    """What atos and gdb say of the raw return addresses, in their documented words."""
    own = [raw for raw, link in addresses if link is not None]
    atos, symbol, line = [], [], []
    for raw, frames in zip(own, symbolizer.answers(part.dwarf, own, part.arch)):
        # atos without -i prints the concrete function: the outermost frame.
        outer = frames[-1]
        atos.append(f"{outer['FunctionName']} (in CrashExample) ({os.path.basename(outer['FileName'])}:{outer['Line']})")
        name, offset = part.symbol_at(raw)
        symbol.append(f"{name} + {offset} in section LC_SEGMENT.__TEXT.__text of PATH")
        start, end, number = symbolizer.row_around(part.rows, raw)
        at, to = (f"{a:#x} <{n}+{o}>" for a in (start, end) for n, o in [part.symbol_at(a)])
        line.append(f'Line {number} of "{os.path.basename(outer["FileName"])}" starts at address {at} and ends at {to}.')
    write(directory, "addresses.txt", "".join(f"{a}\n" for a in own))
    write(directory, "expected-atos.txt", "\n".join(atos) + "\n")
    write(directory, "expected-info-symbol.txt", "\n".join(symbol) + "\n")
    write(directory, "expected-info-line.txt", "\n".join(line) + "\n")


def main(out, sources, logs):
    symbolizer.check_version()
    binary = f"{out}/CrashExample"
    dwarf = f"{out}/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample"
    intel, arm = (Slice(binary, dwarf, arch) for arch in ("x86_64", "arm64"))

    console = f"{logs}/nsexception-console/CrashExample"
    addresses = stack(intel, sources, LEOPARD_RAISE, LEOPARD_CALLERS)
    write(console, "console.log", console_2008(addresses))
    write(console, "call-stack-at-first-throw.log", first_throw_2010(addresses, intel))
    write(console, "first-throw-call-stack.log", first_throw_2012(addresses))
    # One stack, one table: the three logs hold the same addresses in the same order.
    expected(console, "expected.tsv", addresses, intel)
    queries(console, intel, addresses)

    console = f"{logs}/nsexception-console/CrashExample-arm64"
    addresses = stack(arm, sources, ARM64_RAISE, ARM64_CALLERS)
    write(console, "console.log", first_throw_2022(addresses, arm))
    expected(console, "expected.tsv", addresses, arm)
    queries(console, arm, addresses)

    own = {function: arm.return_address(function, line_of(f"{sources}/{file}", text)) for function, file, text in CHAIN}
    # The second report's crash: `self` is gone, and the first instruction of the line that reads an instance variable
    # faults. One byte earlier lies another line: the table fails a reader that treats frame 0 as a return address.
    faulting = arm.first_instruction(DELEGATE % "performTransition",
                                     line_of(f"{sources}/CrashExampleAppDelegate.m", "if (_stepsDone >= stepLimits[_kind])"))
    returns = [own[function] for function, _, _ in CHAIN]
    apple_reports.make(logs, arm, returns, faulting, REASON % 0x13a604080)
    apple_trees.make(logs, arm, returns, faulting)
    intel_own = {function: intel.return_address(function, line_of(f"{sources}/{file}", text)) for function, file, text in CHAIN}
    trap = intel.first_instruction(DELEGATE % "performTransition",
                                   line_of(f"{sources}/CrashExampleAppDelegate.m", "if (_stepsDone >= stepLimits[_kind])"))
    apple_panics.make(logs, intel, arm, [intel_own[function] for function, _, _ in CHAIN], returns, trap)


main(*sys.argv[1:])
