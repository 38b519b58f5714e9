"""Makes Fixtures/logs/android-tombstone-pb from the text tombstones of Fixtures/logs/android-tombstone: the same crashes, field by field as
AOSP's `debuggerd/proto/tombstone.proto` numbers them. Usage: tombstone_pb.py LOGS
"""

import os
import re
import shutil
import sys

ARCHITECTURES = {"arm": 0, "arm64": 1, "x86": 2, "x86_64": 3}
SOURCES = ["libshop-arm/tombstone-12", "libshop-arm64/tombstone-13", "libshop-x86_64/apk-13", "libshop-x86_64/apk-unnamed-13"]
FRAME = re.compile(r"#\d+ pc ([0-9a-f]+)  (.*?)(?: \(offset 0x([0-9a-f]+)\))?(?: \((?!BuildId)(\S.*)\+(\d+)\))?(?: \(BuildId: ([0-9a-f]+)\))?$")
MAPPING = re.compile(r"([0-9a-f']+)-([0-9a-f']+) (r|-)(w|-)(x|-) +([0-9a-f]+) +[0-9a-f]+(?:  (.*?))?(?: \(BuildId: ([0-9a-f]+)\))?(?: \(load bias 0x([0-9a-f]+)\))?$")


def varint(number):
    result = b""
    while number >= 0x80:
        result += bytes([number & 0x7F | 0x80])
        number >>= 7
    return result + bytes([number])


def message(*fields):
    """(number, value) of each field: an integer, text or bytes; what is nothing, 0 or empty is left out, as proto3 does."""
    result = b""
    for number, value in fields:
        if not value:
            continue
        if isinstance(value, int):
            result += varint(number << 3) + varint(int(value) & (1 << 64) - 1)
        else:
            data = value.encode() if isinstance(value, str) else value
            result += varint(number << 3 | 2) + varint(len(data)) + data
    return result


def hexadecimal(digits):
    return int((digits or "0").replace("'", ""), 16)


def frame(line):
    pc, file, offset, name, into, identity = FRAME.match(line).groups()
    # The address in the process and the stack pointer are not in the text: invented.
    return message(
        (1, hexadecimal(pc)), (2, 0x7B0A5D2000 + hexadecimal(pc)), (3, 0x7FE2BA6120), (4, name), (5, int(into or 0)), (6, file),
        (7, hexadecimal(offset)), (8, identity))


def mapping(line):
    begin, last, read, write, execute, offset, file, identity, bias = MAPPING.match(line).groups()
    return message(
        (1, hexadecimal(begin)), (2, hexadecimal(last) + 1), (3, hexadecimal(offset)), (4, read == "r"), (5, write == "w"), (6, execute == "x"),
        (7, file), (8, identity), (9, hexadecimal(bias)))


class Tombstone:
    def __init__(self, lines):
        self.head, self.threads, self.mappings, self.heap = {}, [], [], {}
        frames = None
        for line in map(str.strip, lines):
            if found := re.match(r"pid: (\d+), tid: (\d+), name: (.*?)  >>> (.*) <<<$", line):
                self.pid, self.process = int(found[1]), found[4]
                self.threads.append((int(found[2]), found[3], [], []))
            elif line == "backtrace:":
                frames = self.threads[-1][3]
            elif found := re.match(r"(deallocated|allocated) by thread (\d+):$", line):
                frames = []
                self.heap[found[1]] = (int(found[2]), frames)
            elif line.startswith("#"):
                frames.append(frame(line))
            elif found := re.match(r"signal (\d+) \((\w+)\), code (-?\d+) \((\w+)\), fault addr (?:0x([0-9a-f]+)|-+)$", line):
                self.signal = message(
                    (1, int(found[1])), (2, found[2]), (3, int(found[3])), (4, found[4]), (8, found[5] is not None), (9, hexadecimal(found[5])))
            elif re.match(r"(--->)?[0-9a-f']+-[0-9a-f']+ [r-][w-][x-]", line):
                self.mappings.append(mapping(line.removeprefix("--->")))
            elif self.threads and re.fullmatch(r"(\w+ +([0-9a-f]{16}|[0-9a-f]{8}) *)+", line):
                self.threads[-1][2].extend(re.findall(r"(\w+) +([0-9a-f]{8,16})", line))
            elif found := re.match(r"([A-Z][\w ]+): '?(.*?)'?$", line):
                self.head.setdefault(found[1], found[2])

    @staticmethod
    def thread(identifier, name, registers, frames):
        return message(
            (1, identifier), (2, name), *[(3, message((1, register), (2, hexadecimal(value)))) for register, value in registers],
            *[(4, part) for part in frames])

    def bytes(self):
        (releasing, released), (allocating, allocated) = self.heap.get("deallocated", (0, [])), self.heap.get("allocated", (0, []))
        heap = message((3, allocating), *[(4, part) for part in allocated], (5, releasing), *[(6, part) for part in released])
        return message(
            (1, ARCHITECTURES[self.head["ABI"]]), (2, self.head["Build fingerprint"]), (3, self.head["Revision"]), (4, self.head["Timestamp"]),
            (5, self.pid), (6, self.threads[0][0]), (7, 10123), (8, "u:r:untrusted_app:s0"), (9, self.process), (10, self.signal),
            (14, self.head.get("Abort message")), (15, message((1, self.head.get("Cause")), (2, message((3, heap))))),
            # A map has no order: crash_dump's is that of a hash table.
            *[(16, message((1, thread[0]), (2, self.thread(*thread)))) for thread in reversed(self.threads)],
            *[(17, part) for part in self.mappings], (20, int(self.head["Process uptime"].rstrip("s"))))


def main(logs):
    for source in SOURCES:
        with open(f"{logs}/android-tombstone/{source}.txt", encoding="utf-8") as file:
            made = Tombstone(file.read().splitlines()).bytes()
        path = f"{logs}/android-tombstone-pb/{source}.pb"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(made)
        table = os.path.join(os.path.dirname(source), "expected-rows.tsv")
        shutil.copyfile(f"{logs}/android-tombstone/{table}", f"{logs}/android-tombstone-pb/{table}")


if __name__ == "__main__":
    main(*sys.argv[1:])
