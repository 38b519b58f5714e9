"""CrashExample's made call trees and allocation stacks: `sample` and `leaks` as macOS 12 write them, a hang as spindump writes it there, and the CPU watchdog's report of iOS.

CrashExample's UUID, offsets and sizes are those of the built arm64 slice; the system's images are those of `apple_reports`, invented.
"""

import os
import uuid

import symbolizer
from apple_reports import Frame, LAUNCHING, LOAD_ADDRESS, START, own, system, system_images

QUEUE = "DispatchQueue_1: com.apple.main-thread  (serial)"
GLYPHS = "+!:|"


class Node:
    """A row: `frames` are one place, or several of one function where a leaf was sampled. `count` is of all samples in it."""

    def __init__(self, count, frames, *children):
        self.count, self.frames, self.children = count, frames if isinstance(frames, list) else [frames], children

    def rows(self, depth=0):
        yield depth, self
        for child in self.children:
            yield from child.rows(depth + 1)


def message(location):
    return system("libobjc.A.dylib", 0x8000 + location, "objc_msgSend", location)


def tree(part, returns, faulting):
    """A program that sends messages without end: `performTransition` was met in its own code, too, at the first instruction of a line."""
    inner, main = [own(part, a) for a in returns[:-1]], own(part, returns[-1])
    leaf = Node(1840, inner[0], Node(1840, [message(12), message(40)]))
    exact = Node(609, own(part, faulting, exact=True))
    node = Node(2449, inner[1], leaf, exact)
    for frame in [inner[2], LAUNCHING, main, START]:
        node = Node(2449, frame, node)
    wait = Node(2449, system("libsystem_pthread.dylib", 8196, "start_wqthread", 8), Node(2449, system("libsystem_kernel.dylib", 8748, "__workq_kernreturn", 8)))
    return node, wait


def sample_rows(node, prefix="      "):
    """`sample` draws a line in the columns of a row whose next sibling is still to come, a glyph for each level."""
    first = node.frames[0]
    offsets, addresses = (",".join(f(frame) for frame in node.frames) for f in
                          (lambda f: str(f.location), lambda f: hex(f.address)))
    if first.symbol:
        place = f"{first.symbol}  (in {first.image}) + {offsets}"
    else:
        place = f"???  (in {first.image})  load address {first.base:#x} + {first.offset:#x}"
    yield f"{prefix}{node.count} {place}  [{addresses}]"
    for index, child in enumerate(node.children):
        glyph = GLYPHS[(len(prefix) // 2 - 3) % 4] if index + 1 < len(node.children) else " "
        yield from sample_rows(child, prefix + glyph + " ")


def header(tool, own_lines=()):
    lines = [f"{key + ':':<17}{value}" for key, value in [
        ("Process", "CrashExample [5120]"), ("Path", "/Users/USER/*/CrashExample.app/Contents/MacOS/CrashExample"),
        ("Load Address", hex(LOAD_ADDRESS)), ("Identifier", "org.example.CrashExample"), ("Version", "1.0 (7)"),
        ("Code Type", "ARM64"), ("Platform", "macOS"), ("Parent Process", "launchd [1]")]] + [""]
    lines += [f"{key + ':':<17}{value}" for key, value in [
        ("Date/Time", "2022-02-11 18:22:10.774 +0000"), ("Launch Time", "2022-02-11 18:22:04.401 +0000"),
        ("OS Version", "macOS 12.2 (21D49)"), ("Report Version", "7"), ("Analysis Tool", tool)]]
    return lines + list(own_lines) + ["", "Physical footprint:         3121K", "Physical footprint (peak):  3121K", "----", ""]


def images(part, mentioned):
    lines = ["Binary Images:"]
    for name, path, base, size, identity in system_images(part, mentioned):
        mark, version = ("+", "org.example.CrashExample (1.0 - 7)") if name == "CrashExample" else (" ", f"{name} (1)")
        lines.append(f"{base:#18x} - {base + size - 1:#18x} {mark}{version} <{identity.upper()}> {path}")
    return lines


def write_case(logs, log_format, name, files, part, threads):
    """`threads`: for each thread's number, its frames in the log's order."""
    directory = os.path.join(logs, log_format, name)
    os.makedirs(directory, exist_ok=True)
    for file_name, text in files:
        with open(os.path.join(directory, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    rows = [{"address": hex(f.address), "link": f.link, "frame": index, "thread": thread}
            for thread, frames in threads for index, f in frames]
    symbolizer.write_expected(os.path.join(directory, "expected.tsv"), part.dwarf, rows, part.arch)


def places(root):
    """(row number, frame) of a tree; a row with several addresses has several frames."""
    return [(index, frame) for index, (_, node) in enumerate(root.rows()) for frame in node.frames]


def make_sample(logs, part, main, worker):
    threads = [(16614993, main), (16615020, worker)]
    lines = ["Analysis of sampling CrashExample (pid 5120) every 1 millisecond"] + header("/usr/bin/sample") + ["Call graph:"]
    lines += [f"    2449 Thread_16614993   {QUEUE}", *sample_rows(main), "    2449 Thread_16615020", *sample_rows(worker), ""]
    lines += ["Total number in stack (recursive counted multiple, when >=5):", "",
              "Sort by top of stack, same collapsed (when >= 5):",
              "        __workq_kernreturn  (in libsystem_kernel.dylib)        2449",
              "        objc_msgSend  (in libobjc.A.dylib)        1840", ""]
    lines += images(part, {f.image for _, root in threads for _, f in places(root)})
    lines.append("Sample analysis of process 5120 written to file /dev/stdout")
    write_case(logs, "apple-sample", "CrashExample", [("sample.txt", "\n".join(lines) + "\n")], part,
               [(number, places(root)) for number, root in threads])


# The kernel of the made spindumps: invented, as all that is the system's.
KERNEL = ("kernel.release.t6000", "/System/Library/Kernels/kernel.release.t6000", 0xFFFFFE0007104000, 0x6D4000)
SYSTEM_CALL = [(1502552, None, 0), (33104, "thread_block_reason", 168), (40240, "machine_switch_context", 0)]


class KernelFrame(Frame):
    """The kernel's rows have a star before their count."""

    def __init__(self, offset, symbol, location):
        super().__init__(KERNEL[0], offset, symbol, location)

    @property
    def base(self):
        return KERNEL[2]


def with_kernel(node):
    """The branches that end in `__workq_kernreturn` go on in the kernel."""
    last = node.frames[0]
    children = [with_kernel(child) for child in node.children]
    if last.symbol == "__workq_kernreturn":
        inner = None
        for offset, symbol, location in reversed(SYSTEM_CALL):
            inner = Node(node.count, KernelFrame(offset, symbol, location), *([inner] if inner else []))
        children = [inner]
    # spindump gives each address a row of its own.
    return Node(node.count, last, *children)


def place(frame, has_addresses):
    text = f"{frame.symbol} + {frame.location}" if frame.symbol else "???"
    return f"{text} ({frame.image} + {frame.offset})" + (f" [{frame.address:#x}]" if has_addresses else "")


def spindump_rows(root, has_addresses=True, ranges=False):
    width = len(str(root.count))
    for depth, node in root.rows():
        star = "*" if isinstance(node.frames[0], KernelFrame) else " "
        end = f" 1-{node.count}" if ranges else ""
        end += " (running)" if not node.children and star == " " and has_addresses else ""
        yield f"{' ' * (2 * depth + 1)}{star}{node.count:<{width}}  {place(node.frames[0], has_addresses)}{end}"


def heaviest(root, has_addresses=True):
    node = root
    while node:
        star = "*" if isinstance(node.frames[0], KernelFrame) else " "
        yield node, f" {star}{node.count:<3} {place(node.frames[0], has_addresses)}"
        node = max(node.children, key=lambda child: child.count, default=None)


def spindump_images(part, mentioned, unknown_end=False):
    lines = ["  Binary Images:"]
    for name, path, base, size, identity in system_images(part, mentioned):
        own_image = name == "CrashExample"
        end = "???" if own_image and unknown_end else hex(base + size - 1)
        title = "org.example.CrashExample 1.0 (7)" if own_image else f"{name} (1)"
        lines.append(f"    {base:#18x} - {end:>18}  {title:<32} <{identity.upper()}>  {path}")
    if KERNEL[0] in mentioned:
        name, path, base, size = KERNEL
        identity = uuid.uuid5(uuid.NAMESPACE_URL, "made:" + name)
        lines.append(f"   *{base:#18x} - {base + size - 1:#18x}  {name:<32} <{str(identity).upper()}>  {path}")
    return lines


def keys(pairs):
    return [f"{key + ':':<17} {value}" for key, value in pairs]


TARGET = [("Path", "/Applications/CrashExample.app/Contents/MacOS/CrashExample"), ("Identifier", "org.example.CrashExample"),
          ("Version", "1.0 (7)")]


def make_hang(logs, part, main, worker):
    main, worker = with_kernel(main), with_kernel(worker)
    for root in [main, worker]:
        for _, node in root.rows():
            node.count = {2449: 49, 1840: 37, 609: 12}[node.count]
    lines = keys([("Date/Time", "2022-02-11 18:22:10.774 +0000"), ("End time", "2022-02-11 18:22:15.682 +0000"),
                  ("OS Version", "macOS 12.2 (Build 21D49)"), ("Architecture", "arm64e"), ("Report Version", "35")]) + [""]
    lines += keys([("Data Source", "Stackshots"),
                   ("Shared Cache", "D949F5BB-14F3-3223-9E0F-EB9B0E5D53E8 slid base address 0x18a130000, slide 0xa130000")]) + [""]
    lines += keys([("Command", "CrashExample"), *TARGET, ("Parent", "launchd [1]"), ("PID", "5120"), ("Time Since Fork", "6s")]) + [""]
    lines += keys([("Event", "hang"), ("Duration", "6.91s"),
                   ("Duration Sampled", "4.90s (process was unresponsive for 2 seconds before sampling)"),
                   ("Steps", "49 (100ms sampling interval)")]) + [""]
    lines += keys([("Hardware model", "MacBookPro18,1"), ("Active cpus", "10")]) + [""]
    lines += ["-" * 50, "Timeline format: stacks are sorted chronologically", "Use -i and -heavy to re-report with count sorting", "-" * 50, "", ""]
    stack = list(heaviest(main))
    lines += ["Heaviest stack for the main thread of the target process:", *[row for _, row in stack], "", ""]
    lines += keys([("Process", "CrashExample [5120]"), ("UUID", part.uuid.upper()), *TARGET, ("Architecture", "arm64"),
                   ("Parent", "launchd [1]"), ("UID", "501"), ("Num samples", "49 (1-49)"),
                   ("Note", "Unresponsive for 2 seconds before sampling")]) + [""]
    lines += ['  Thread 0x2ca9e    DispatchQueue "com.apple.main-thread"(1)    49 samples (1-49)    priority 47 (base 47)    cpu time 4.871s',
              "  <process frontmost, thread QoS user interactive, IO tier 0>", *spindump_rows(main, ranges=True), ""]
    lines += ['  Thread 0x2cab1    Thread name "worker"    49 samples (1-49)    priority 31 (base 31)', *spindump_rows(worker, ranges=True), ""]
    lines += spindump_images(part, {f.image for root in [main, worker] for _, f in places(root)}) + ["", ""]
    lines += keys([("Process", "launchd [1]"), ("Path", "/sbin/launchd"), ("Architecture", "arm64e"), ("UID", "0"), ("Num samples", "49 (1-49)")])
    lines += ["", '  Thread 0x1f3    DispatchQueue "com.apple.main-thread"(1)    49 samples (1-49)    priority 31 (base 31)']
    lines += [*spindump_rows(worker, ranges=True), ""] + spindump_images(part, {f.image for _, f in places(worker)})[:1]
    lines += spindump_images(part, {f.image for _, f in places(worker)})[2:]
    text = "\n".join(lines) + "\n"
    write_case(logs, "apple-spindump", "CrashExample-hang", [("hang.txt", text)], part,
               [(0x2CA9E, places(main)), (0x2CAB1, places(worker))])


def make_watchdog(logs, part, main):
    """The watchdog of iOS 14 prints images and offsets; addresses came with spindump's rows below."""
    for _, node in main.rows():
        node.count = {2449: 18, 1840: 11, 609: 7}[node.count]
    # A microstackshot gives one address to a row.
    main = with_kernel(main)
    lines = keys([("Date/Time", "2020-10-19 23:46:29.268 +0100"), ("End time", "2020-10-19 23:48:59.680 +0100"),
                  ("OS Version", "iPhone OS 14.2 (Build 18B5072f)"), ("Architecture", "arm64e"), ("Report Version", "32"),
                  ("Incident Identifier", "05D98B49-C8B1-4F18-B494-491D76B2AA3C"), ("Share With Devs", "Yes")]) + [""]
    lines += keys([("Data Source", "Microstackshots"), ("Shared Cache", "D949F5BB-14F3-3223-9E0F-EB9B0E5D53E8 slid base address 0x18a130000, slide 0xa130000")]) + [""]
    lines += keys([("Command", "CrashExample"), *TARGET, ("Parent", "UNKNOWN [1]"), ("PID", "5120")]) + [""]
    lines += keys([("Event", "cpu usage"), ("Action taken", "none"),
                   ("CPU", "90 seconds cpu time over 150 seconds (60% cpu average), exceeding limit of 50% cpu over 180 seconds"),
                   ("CPU limit", "90s"), ("Limit duration", "180s"), ("CPU used", "90s"), ("CPU duration", "150s"),
                   ("Duration", "150.41s"), ("Duration Sampled", "119.32s"), ("Steps", "23")]) + [""]
    lines += keys([("Hardware model", "iPhone12,1"), ("Active cpus", "6")]) + ["", ""]
    lines += ["Heaviest stack for the target process:", *[row for _, row in heaviest(main, has_addresses=False)], "", ""]
    lines += keys([("Powerstats for", "CrashExample [5120]"), ("UUID", part.uuid.upper()), *TARGET, ("Architecture", "arm64"),
                   ("Parent", "UNKNOWN [1]"), ("UID", "501"), ("Footprint", "19.98 MB"),
                   ("Start time", "2020-10-19 23:47:00.334 +0100"), ("End time", "2020-10-19 23:48:58.707 +0100"),
                   ("Num samples", "18 (78%)"), ("Primary state", "11 samples Frontmost App, Non-Suppressed, User mode"),
                   ("User Activity", "0 samples Idle, 18 samples Active"), ("Power Source", "18 samples on Battery, 0 samples on AC")])
    lines += [row.replace(" (running)", "") for row in spindump_rows(main)] + [""]
    lines += spindump_images(part, {f.image for _, f in places(main)}, unknown_end=True)
    write_case(logs, "apple-spindump", "CrashExample-cpu", [("cpu_resource.ips", "\n".join(lines) + "\n")], part, [(0, places(main))])


ALLOCATING = [("libobjc.A.dylib", 0x6010, "_objc_rootAllocWithZone", 44), ("libsystem_malloc.dylib", 0x1D84C, "_malloc_zone_calloc", 148)]


def make_leaks(logs, part, returns):
    """The block that `performTransition` allocated, in the three forms of its stack. Each is outermost first; all are return addresses."""
    inner, main = [own(part, a) for a in returns[:-1]], own(part, returns[-1])
    stack = [START, main, LAUNCHING, *reversed(inner), system(*ALLOCATING[0])]
    rows = []
    for index, f in enumerate(stack):
        where = f"{f.symbol} + {f.location}" if f.symbol else f"{f.base:#x} + {f.offset}"
        image = "org.example.CrashExample" if f.image == "CrashExample" else f.image
        rows.append(f"{len(stack) - index:<4}{image:<37} {f.address:#x} {where}")
    image, offset, symbol, location = ALLOCATING[1]
    rows.append(f"{0:<4}{image:<37} {0x18A5F0000 + offset:#x} {symbol} + {location} ")
    title = header("/usr/bin/leaks")
    sums = ["Process 5120: 3121 nodes malloced for 412 KB", "Process 5120: 1 leak for 48 total leaked bytes.", ""]
    lines = title + ["leaks Report Version: 4.0, multi-line stacks", *sums]
    lines += ["STACK OF 1 INSTANCE OF 'ROOT LEAK: <Transition>':", *rows, "====", "    1 (48 bytes) ROOT LEAK: <Transition 0x600002c3a1c0> [48]", ""]
    lines += ["", *images(part, {f.image for f in stack})]
    files = [("leaks.txt", "\n".join(lines) + "\n")]

    # Where there are no names, an address stands alone.
    elements = [f.symbol or f"{f.address:#x}" for f in stack] + [symbol]
    lines = ["leaks Report Version:  2.0", *title, *sums, "Leak: 0x600002c3a1c0  size=48  zone: DefaultMallocZone_0x102b04000   Transition  ObjC  CrashExample",
             "\t0x4a0e8d31 0x00000001 0x00000000 0x00000000 \t1..J............",
             "\tCall stack: [thread 0x7fff70126be0]: | " + " | ".join(elements) + " ", "", *images(part, {f.image for f in stack})]
    files.append(("leaks-one-line.txt", "\n".join(lines) + "\n"))

    elements = [f"{f.address:#x} ({f.image})" + (f" {f.symbol}" if f.symbol else "") for f in stack]
    lines = title[:-3] + ["----", "", "ALLOC 0x600002c3a1c0-0x600002c3a1ef [size=48]:  Transition: thread_1e0d9a0c0 |" + " | ".join(elements), "",
                          *images(part, {f.image for f in stack})]
    files.append(("malloc-history.txt", "\n".join(lines).replace("bin/leaks", "bin/malloc_history") + "\n"))
    write_case(logs, "apple-leaks", "CrashExample", files, part, [("additional", list(enumerate(reversed(stack), 1)))])


def make(logs, part, returns, faulting):
    make_sample(logs, part, *tree(part, returns, faulting))
    make_hang(logs, part, *tree(part, returns, faulting))
    make_watchdog(logs, part, tree(part, returns, faulting)[0])
    make_leaks(logs, part, returns)
