"""Writes the debug sections of small fixtures as the inputs that FuzzDWARFUnits begins with, and their line programs and lists for FuzzLinePrograms.

    dwarf_frames.py OUT LINES-OUT OBJECT...

The layouts are described at the fuzzers' functions. The addresses are the starts of the object's functions.
"""

import os
import struct
import subprocess
import sys
import tempfile

# In the order of DWARFSections.Name.
SECTIONS = ["info", "abbrev", "line", "str", "line_str", "str_offsets", "addr", "ranges", "rnglists", "aranges"]


def section(path, name, folder):
    target = os.path.join(folder, name)
    command = ["llvm-objcopy-19", f"--dump-section=.debug_{name}={target}", path, os.devnull]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode != 0:
        return b""
    with open(target, "rb") as file:
        return file.read()


def functions(path):
    lines = subprocess.run(["llvm-nm-19", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines()
    return sorted({int(line.split()[0], 16) for line in lines if line.split()[1] in "tTwW"})


def main():
    out, lines, objects = sys.argv[1], sys.argv[2], sys.argv[3:]
    for path in objects:
        with open(path, "rb") as file:
            is_big = file.read(6)[5] == 2  # EI_DATA: ELFDATA2MSB
        with tempfile.TemporaryDirectory() as folder:
            parts = [section(path, name, folder) for name in SECTIONS]
        data = b"B" if is_big else b"L"
        data += b"".join(struct.pack("<I", len(part)) + part for part in parts)
        data += b"".join(struct.pack("<Q", address) for address in functions(path)[:16])
        with open(os.path.join(out, os.path.basename(path) + ".frames"), "wb") as file:
            file.write(data)
        with open(os.path.join(lines, os.path.basename(path) + ".lines"), "wb") as file:
            # Of one byte order, in the 32-bit format, with addresses of eight bytes or, on the fixtures' big-endian machine, four.
            file.write(b"\x05" if is_big else b"\x00")
            for name in ["line", "ranges", "rnglists"]:
                part = parts[SECTIONS.index(name)]
                file.write(struct.pack("<H", len(part)) + part)


main()
