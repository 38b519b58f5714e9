"""Writes the decisions that recipes of debug information begin with (Tests/Fuzzing/Recipes): bytes of a linear congruential generator, so that they are the same each time.

The constants are Knuth's for MMIX. `../split` has the same with the three bytes before them that say what the other file is and where it begins.
"""

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def decisions(seed, count):
    state = seed
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 56


def write(name, data):
    with open(os.path.join(FOLDER, name), "wb") as file:
        file.write(data)


for number, count in enumerate([48, 200, 600, 1200, 2400, 4800], 1):
    # The first decision: little-endian and the versions 5 to 2, then big-endian, then four-byte addresses in the 64-bit format.
    shape = [0x00, 0x08, 0x10, 0x18, 0x01, 0x06][number - 1]
    write(f"recipe-{number}", b"R" + bytes([shape]) + bytes(decisions(number, count)))
for kind, name in enumerate(["split", "package", "supplementary"]):
    for number, shape in enumerate([0x00, 0x08, 0x01], 1):
        program = bytes([shape]) + bytes(decisions(100 + number, 900))
        other = bytes([shape]) + bytes(decisions(200 + number, 900))
        write(f"../split/{name}-{number}", bytes([0x80 | kind, len(program) % 256, len(program) // 256]) + program + other)
