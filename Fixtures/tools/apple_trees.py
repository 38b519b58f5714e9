"""CrashExample's made call trees: `sample` as macOS 12 writes it.

CrashExample's UUID, offsets and sizes are those of the built arm64 slice; the system's images are those of `apple_reports`, invented.
"""

import os

import symbolizer
from apple_reports import LAUNCHING, LOAD_ADDRESS, START, own, system, system_images

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


def make(logs, part, returns, faulting):
    main, worker = tree(part, returns, faulting)
    make_sample(logs, part, main, worker)
