"""The measurement behind scripts/checks/bench-tree."""

import argparse
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import sys
import time

# ELF's note of the build ID (gABI, "Note Section"; GNU's type 3): sizes of name and contents, type, name.
NOTE = struct.pack("<III", 4, 20, 3) + b"GNU\0"
PROGRAM = "Fixtures/binaries/C/out/c-clang-dwarf4-O0"


def sources():
    """Programs and libraries of this machine with a build ID of 20 bytes: contents, and where the ID stands."""
    found = []
    for folder in ["/usr/bin", "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]:
        for parent, _, names in os.walk(folder):
            for name in sorted(names):
                path = os.path.join(parent, name)
                if os.path.islink(path) or not os.path.isfile(path) or not 20_000 < os.path.getsize(path) < 3_000_000:
                    continue
                with open(path, "rb") as file:
                    contents = file.read()
                place = contents.find(NOTE)
                if contents.startswith(b"\x7fELF") and place > 0:
                    found.append((name, contents, place + len(NOTE)))
    return sorted(found, key=lambda source: source[0])


def make(root, count, size):
    """A tree of `count` files with `size` bytes together, each with an ID of its own; and one with debug information."""
    whole = sources()
    wanted = size / count
    large = [source for source in whole if len(source[1]) >= wanted]
    small = [source for source in whole if len(source[1]) < wanted]
    if not large or not small:
        sys.exit("bench-tree: this machine has too few programs to make a tree of")
    done = 0
    for index in range(count - 1):
        kind = large if done <= index * wanted else small
        name, contents, place = kind[index % len(kind)]
        folder = f"{root}/{index % 50:02}/{index // 50 % 20:02}"
        os.makedirs(folder, exist_ok=True)
        copy = bytearray(contents)
        copy[place : place + 20] = hashlib.sha1(str(index).encode()).digest()
        with open(f"{folder}/{name}.{index}", "wb") as file:
            file.write(copy)
        done += len(copy)
    shutil.copy(PROGRAM, f"{root}/17/07/renamed")


def event():
    """A Sentry event with a frame in the program's `main`, which begins at 0x700 (nm)."""
    with open(PROGRAM, "rb") as file:
        contents = file.read()
    place = contents.find(NOTE) + len(NOTE)
    image = {"type": "elf", "code_file": "/opt/program", "code_id": contents[place : place + 20].hex(), "image_addr": "0x70000000", "image_size": 1 << 16}
    stack = {"stacktrace": {"frames": [{"instruction_addr": "0x70000710"}]}}
    return {"event_id": "1", "platform": "native", "exception": {"values": [{"type": "SIGSEGV", **stack}]}, "debug_meta": {"images": [image]}}


def run(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    output = subprocess.run(command, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return output, time.monotonic() - start, processor


def main():
    parser = argparse.ArgumentParser()
    for name in ["--binary", "--cache"]:
        parser.add_argument(name, required=True)
    for name in ["--files", "--megabytes", "--runs"]:
        parser.add_argument(name, type=int, required=True)
    arguments = parser.parse_args()
    root = f"{arguments.cache}/tree-{arguments.files}-{arguments.megabytes}"
    if not os.path.isdir(root):
        make(root + ".part", arguments.files, arguments.megabytes << 20)
        os.rename(root + ".part", root)
    log = f"{arguments.cache}/tree.json"
    with open(log, "w") as file:
        json.dump(event(), file)
    kept = f"{arguments.cache}/tree-kept"

    def command(symbols, *options):
        return [arguments.binary, log, "--symbols", symbols, *options]

    expected, _, _ = run(command(PROGRAM, "--no-index"))
    if b"main.c" not in expected:
        sys.exit("bench-tree: the program given by itself does not answer the log")
    kinds = {"first run": [], "next run": []}
    for _ in range(arguments.runs):
        shutil.rmtree(kept, ignore_errors=True)
        for kind in kinds:
            output, elapsed, processor = run(command(root, "--index-cache", kept))
            if output != expected:
                sys.exit(f"bench-tree: the {kind}'s answers differ from those of the file given by itself")
            kinds[kind].append((elapsed, processor))
    for kind, times in kinds.items():
        elapsed = sorted(time for time, _ in times)
        processor = sorted(time for _, time in times)
        print(
            f"{kind}: {elapsed[0]:.3f} {elapsed[len(elapsed) // 2]:.3f} {elapsed[-1]:.3f} s (fastest, middle, slowest); "
            f"processors {processor[len(processor) // 2]:.3f} s"
        )


main()
