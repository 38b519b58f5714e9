"""Writes the small line tables that FuzzELF begins with, one for each version of the format: two functions, the second with an inlined call."""

import os
import struct

TEXT = 0x401000
NAMES = b"\0main.main\0main.fill\0main.limit\0"
FILES = b"\0/src/main.go\0/src/tank.go\0"
# A value that changes by 1 for four instructions, by 4 for eight more; from -1: 0, then 4.
PROGRAM = b"\0" + bytes([2, 4, 8, 8, 0])
# -1 for four instructions, then the first inlined call.
INLINE = bytes([0, 4, 2, 8, 0])


def table(magic, order, pointer):
    def u32(*values):
        return struct.pack(f"{order}{len(values)}I", *values)

    def word(*values):
        return struct.pack(f"{order}{len(values)}{'Q' if pointer == 8 else 'I'}", *values)

    programs = PROGRAM + INLINE
    go12, distances, lines = magic == 0xFFFFFFFB, magic in (0xFFFFFFF0, 0xFFFFFFF1), magic == 0xFFFFFFF1
    header = u32(magic) + bytes([0, 0, 1, pointer])

    def record(entry, name, base):
        start = u32(entry - TEXT) if distances else word(entry)
        fields = [base["names"] + name, 0, 0] + [base["programs"] + 1] * 3 + [3, 0] + ([1] if lines else [])
        tail = b"" if go12 else bytes([0, 0, 0, 4])
        before = start + u32(*fields) + tail + u32(0, 0, base["programs"] + len(PROGRAM))
        if magic == 0xFFFFFFFA:
            # Addresses, aligned.
            return before + bytes(-len(before) % pointer) + word(0, 0, 0, base.get("tree", 0))
        return before + u32(*[0xFFFFFFFF] * 3, 0)

    def functions(records_at, base):
        records = [record(TEXT, 1, base), record(TEXT + 12, 11, base)]
        field = u32 if distances else word
        starts = [0, 12, 24] if distances else [TEXT, TEXT + 12, TEXT + 24]
        size = len(field(0)) * 5 + (4 if go12 else 0)
        places = [records_at + size, records_at + size + len(records[0])]
        entries = field(starts[0], places[0], starts[1], places[1], starts[2])
        return entries, b"".join(records)

    if go12:
        size = 8 + pointer + 5 * pointer + 4
        length = len(functions(0, {"names": 0, "programs": 0})[1])
        base = {"names": size + length, "programs": size + length + len(NAMES)}
        files = base["programs"] + len(programs)
        entries, records = functions(8 + pointer, base)
        return header + word(2) + entries + u32(files) + records + NAMES + programs + u32(2, files + 9, files + 22) + FILES[1:]
    size = 8 + (8 if distances else 7) * pointer
    parts = [NAMES, u32(1, 14), FILES, programs]
    parts[3] += bytes(-(size + sum(map(len, parts))) % 8)
    offsets = [size + sum(map(len, parts[:index])) for index in range(5)]
    entries, records = functions(0, {"names": 0, "programs": 0})
    tree = offsets[4] + len(entries) + len(records)
    entries, records = functions(0, {"names": 0, "programs": 0, "tree": tree})
    words = [2, 2] + ([TEXT] if distances else []) + [offsets[0], offsets[1], offsets[2], offsets[3], offsets[4]]
    # Go 1.20 took the file and the line away, which stood between.
    call = bytes(4) + (b"" if lines else u32(0, 7)) + u32(21, 2) + (u32(3) if lines else b"")
    return header + word(*words) + b"".join(parts) + entries + records + call


os.chdir(os.path.dirname(os.path.abspath(__file__)))
for magic, release in [(0xFFFFFFFB, "1.2"), (0xFFFFFFFA, "1.16"), (0xFFFFFFF0, "1.18"), (0xFFFFFFF1, "1.20")]:
    for order, pointer in [("<", 8), (">", 4)]:
        with open(f"go{release}-{pointer * 8}{'le' if order == '<' else 'be'}.pclntab", "wb") as file:
            file.write(table(magic, order, pointer))
