"""Reads what the peers of `cairn batch` need of a crash log: its images and the frames of its stacks; of the formats that the corpus has symbols for."""

import bisect
import json
import re
import struct
from typing import NamedTuple

FRAME = re.compile(r"^(\d+)\s+\S.*?\s(0x[0-9a-f]+) ", re.M)
SAMPLE_ROW = re.compile(r"^([ +!:|]*)(\d+) .*\[(0x[0-9a-f]+)", re.M)
IMAGE = re.compile(r"^\s*(0x[0-9a-f]+) -\s+(0x[0-9a-f]+) .*?<([0-9A-Fa-f-]{32,36})>", re.M)


class Frame(NamedTuple):
    thread: int
    index: int
    image: str
    """The image's UUID, in small letters without hyphens; empty where no image has the address."""
    offset: int
    """The printed address, from the image's base; the address itself without one."""
    is_return: bool
    """The address follows a call: what is looked up is one less."""


class Images:
    def __init__(self, images: list[tuple[int, int, str]]) -> None:
        self.images = sorted(images)
        self.begins = [image[0] for image in self.images]

    def place(self, address: int) -> tuple[str, int]:
        index = bisect.bisect_right(self.begins, address) - 1
        if index >= 0:
            begin, end, identity = self.images[index]
            if address < end:
                return identity, address - begin
        return "", address


def identity(text: str) -> str:
    return text.replace("-", "").lower()


def read(data: bytes) -> list[Frame]:
    if data.startswith(b"{"):
        first, _, rest = data.partition(b"\n")
        if b'"bug_type"' in first:
            return ips(json.loads(rest))
        return sentry(json.loads(data))
    text = data.decode("utf-8", "replace")
    return sample(text) if text.startswith("Sampling process") else crash(text)


def text_images(text: str) -> Images:
    list_begin = text.find("\nBinary Images:")
    return Images([(int(low, 16), int(high, 16) + 1, identity(uuid)) for low, high, uuid in IMAGE.findall(text, max(0, list_begin))])


def crash(text: str) -> list[Frame]:
    images = text_images(text)
    begin, end = text.find("\nThread 0"), text.find("\nBinary Images:")
    frames = []
    thread = -1
    for index, address in FRAME.findall(text[max(begin, 0) : end]):
        number = int(index)
        thread += number == 0
        frames.append(Frame(thread, number, *images.place(int(address, 16)), number > 0))
    return frames


def sample(text: str) -> list[Frame]:
    """A tree: the rows that nothing is called from are program counters."""
    images = text_images(text)
    begin, end = text.find("\nCall graph:"), text.find("\nTotal number in stack")
    rows = SAMPLE_ROW.findall(text[begin:end])
    frames = []
    for index, (depth, _, address) in enumerate(rows):
        is_leaf = index + 1 == len(rows) or len(rows[index + 1][0]) <= len(depth)
        frames.append(Frame(0, index, *images.place(int(address, 16)), not is_leaf))
    return frames


def ips(report: dict) -> list[Frame]:
    images = report["usedImages"]
    return [
        Frame(number, index, identity(images[frame["imageIndex"]].get("uuid", "")), frame["imageOffset"], index > 0)
        for number, thread in enumerate(report["threads"])
        for index, frame in enumerate(thread["frames"])
    ]


def sentry(event: dict) -> list[Frame]:
    """Outermost first, so that the last frame of a stack is where the thread was; but a language's exception is told by the stack that threw it, of return addresses alone."""
    exceptions = event["exception"]["values"]
    is_thrown = not exceptions[-1]["type"].startswith(("EXC_", "SIG"))
    images = Images([
        (begin := int(image["image_addr"], 16), begin + image["image_size"], identity(image["uuid"])) for image in event["debug_meta"]["images"]
    ])
    frames = []
    for number, thread in enumerate(event["threads"]["values"]):
        for index, frame in enumerate(reversed(thread["stacktrace"]["frames"])):
            is_return = index > 0 or (is_thrown and thread["crashed"])
            frames.append(Frame(number, index, *images.place(int(frame["instruction_addr"], 16)), is_return))
    return frames


class Slice(NamedTuple):
    identity: str
    arch: str
    begin: int
    """Where its text wants to be: `vmaddr` of __TEXT."""


ARCHITECTURES = {(0x0100_0007, 3): "x86_64", (0x0100_000C, 0): "arm64", (12, 9): "armv7", (12, 11): "armv7s", (7, 3): "i386"}


def slices(data: bytes) -> list[Slice]:
    """Of a Mach-O file: its architectures."""
    if data[:4] != b"\xca\xfe\xba\xbe":
        return [thin(data, 0)]
    (count,) = struct.unpack_from(">I", data, 4)
    return [thin(data, struct.unpack_from(">5I", data, 8 + 20 * number)[2]) for number in range(count)]


def thin(data: bytes, start: int) -> Slice:
    is_wide = data[start : start + 4] == b"\xcf\xfa\xed\xfe"
    cpu, subtype, _, count = struct.unpack_from("<4I", data, start + 4)
    at = start + (32 if is_wide else 28)
    uuid, begin = "", 0
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 0x1B:  # LC_UUID
            uuid = data[at + 8 : at + 24].hex()
        if kind in (1, 0x19) and data[at + 8 : at + 24].rstrip(b"\0") == b"__TEXT":  # LC_SEGMENT, LC_SEGMENT_64
            begin = struct.unpack_from("<Q" if is_wide else "<I", data, at + 24)[0]
        at += size
    return Slice(uuid, ARCHITECTURES.get((cpu, subtype & 0xFFFFFF), ""), begin)
