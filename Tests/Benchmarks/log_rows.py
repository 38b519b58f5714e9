"""The main job: a log with symbols, beside the lookups of its addresses by cairn and by the peers."""

import json
import random
import subprocess
from pathlib import Path

import crash_logs
from answers import UNKNOWN, Answer, Frame, normalised
from measure import ENVIRONMENT

LOG = "cairn log"
"""Who explains its differences in `explained.tsv`."""
LOOKUPS = "cairn lookups"
"""The same addresses through `cairn llvm-symbolizer`."""


def make(format: str, place: str, object: Path, code: Path, count: int, seed: int, log: Path) -> crash_logs.Image:
    """Writes a log of return addresses, or of functions' first bytes (`place`)."""
    own = crash_logs.image(code, code.name)
    if place == "first byte":
        known = [function for function in crash_logs.functions(object) if function.size > 16]
        rows = [function.start for function in crash_logs.spread(known, count, seed)]
    else:
        rows = crash_logs.return_addresses(code, object, count, seed)
    log.write_text((crash_logs.FORMATS | crash_logs.APPLE_FORMATS)[format](own, [row - own.link for row in rows]))
    return own


def make_many(object: Path, code: Path, count: int, seed: int, folder: Path) -> None:
    """Writes logs of 30 frames each, chosen from 300 return addresses: logs of one program have most frames in common."""
    own = crash_logs.image(code, code.name)
    rows = [row - own.link for row in crash_logs.return_addresses(code, object, 300, seed)]
    generator = random.Random(seed)
    for number in range(count):
        (folder / f"{number:04}.log").write_text(crash_logs.FORMATS["asan"](own, generator.sample(rows, 30)))


def command(program: list[str], log: Path, given: list[Path], index: bool = False) -> list[str]:
    """Without an index none is made, either: the fourth run would make one."""
    return [*program, str(log), "--no-local", *([] if index else ["--no-index"]), *(word for path in given for word in ("-s", str(path)))]


def answers(command: list[str], own: crash_logs.Image) -> tuple[list[str], list[Answer]]:
    """What cairn says about each frame of the image: the link address that it looked up, and its functions."""
    result = subprocess.run([*command, "--format", "json"], capture_output=True, text=True, env=ENVIRONMENT)
    addresses, found = [], []
    for document in documents(result.stdout):
        number = next((index for index, image in enumerate(document["images"]) if image["name"] == own.name), -1)
        for frame in (frame for thread in document["threads"] for frame in thread["frames"] if frame.get("image") == number):
            raw = int(frame["imageOffset"], 16) + own.link
            # Distance by which the address was moved back into the call, if it was.
            moved = int(frame["address"], 16) - int(frame["lookupAddress"], 16) if "lookupAddress" in frame else 0
            addresses.append(hex(raw - moved))
            functions = [Frame(function.get("mangledName") or function["name"] or UNKNOWN, normalised(function.get("file", "")), function.get("line", 0))
                         for function in frame.get("functions", [])]
            found.append(tuple(functions) or (Frame(UNKNOWN, UNKNOWN, 0),))
    return addresses, found


def documents(text: str) -> list[dict]:
    decoder, place, found = json.JSONDecoder(), 0, []
    while place < len(text.rstrip()):
        document, place = decoder.raw_decode(text, place)
        found.append(document)
        while place < len(text) and text[place].isspace():
            place += 1
    return found
