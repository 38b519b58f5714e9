"""Reads what a tool answered into one common form: for each address, frames innermost first."""

from typing import NamedTuple


class Frame(NamedTuple):
    function: str  # linkage name; "??" unknown
    file: str  # normalised path; "??" unknown
    line: int  # 0 unknown


Answer = tuple[Frame, ...]
UNKNOWN = "??"


def read(text: str, dialect: str) -> list[Answer]:
    return {"llvm": llvm, "gnu": gnu, "gsym": gsym}[dialect](text)


def llvm(text: str) -> list[Answer]:
    """llvm-symbolizer's default style: a function line and a `file:line:column` line a frame, an empty line after each address."""
    answers, pending = [], []
    for line in text.splitlines():
        if line:
            pending.append(line)
        elif pending:
            answers.append(tuple(frame(name, place.rsplit(":", 1)[0]) for name, place in pairs(pending)))
            pending = []
    return answers


def gnu(text: str) -> list[Answer]:
    """`addr2line -afi` and `eu-addr2line -afi`: a line with the address, then a function line and a `file:line` line a frame."""
    answers, pending = [], []
    for line in text.splitlines() + ["0x"]:
        if not line.startswith("0x"):
            pending.append(line)
        elif pending:
            answers.append(tuple(frame(name, place) for name, place in pairs(pending)))
            pending = []
    return answers


def gsym(text: str) -> list[Answer]:
    """`llvm-gsymutil --addresses-from-stdin`: a frame a line, `NAME + OFFSET @ FILE:LINE [inlined]`, the first behind the address; an empty line after each."""
    answers, pending = [], []
    for line in text.splitlines():
        if not line:
            answers.append(tuple(pending))
            pending = []
            continue
        line = line.split(": ", 1)[-1] if line.startswith("0x") else line.strip()
        name, _, place = line.removesuffix(" [inlined]").partition(" @ ")
        pending.append(frame(name.rsplit(" + ", 1)[0], place or UNKNOWN))
    return answers


def pairs(lines: list[str]) -> list[tuple[str, str]]:
    return list(zip(lines[0::2], lines[1::2]))


def frame(name: str, place: str) -> Frame:
    # eu-addr2line writes "name inlined at FILE:LINE:COLUMN in CALLER"; the caller is the next frame anyway.
    name = name.split(" inlined at ", 1)[0]
    # addr2line writes "FILE:LINE (discriminator 3)".
    place = place.split(" (discriminator ", 1)[0]
    # eu-addr2line writes FILE:LINE:COLUMN where it knows the column, FILE:LINE where not.
    parts = place.rsplit(":", 2)
    if len(parts) == 3 and is_line(parts[1]) and is_line(parts[2]):
        file, line = parts[0], parts[1]
    else:
        file, _, line = place.rpartition(":")
    return Frame(name or UNKNOWN, normalised(file), int(line) if line.isdigit() else 0)


def is_line(text: str) -> bool:
    return text.isdigit() or text == "?"


def normalised(path: str) -> str:
    """Without `//` and `/./`, which tools join differently; `..` stays, because all of them keep it."""
    if path in ("", UNKNOWN):
        return UNKNOWN
    parts = [part for index, part in enumerate(path.split("/")) if part not in ("", ".") or index == 0]
    if parts and parts[0] == ".":
        parts = parts[1:]
    return "/".join(parts)
