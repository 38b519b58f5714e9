"""Names what differs between two answers. A class that is checked here, not believed, may be explained for every address.

    alias         two symbols of one address: C++'s C1 and C2, glibc's `__GI_execle` and `execle`, folded twins
    suffix        the same name without the compiler's mark: `.cold`, `.isra.0`, `.lto_priv.3`, a symbol version
    plain-name    the source's name where the judge has the linkage name that contains it: `offset` of `_ZL6offsetv`
    joined-twice  `libio/libio/genops.c`: a relative directory in front of a path that begins with it
    dots          the same path once `..` is folded
    file-symbol   no file where there is no line information and the judge gives the symbol table's `STT_FILE`
    directory     the same file name below another directory
    depth         another number of frames; then nothing else is compared
    function, file, line   anything else
"""

from os.path import normpath
from pathlib import Path, PurePosixPath

from answers import UNKNOWN, Answer, Frame
from symbols import starts, stem

CHECKED = {"alias", "suffix", "plain-name", "joined-twice", "dots", "file-symbol"}
BY_OBJECT = {"directory"}
"""Checked as far as the file's name: may be explained for every address of one object, never of all."""


def differences(object: Path, expected: Answer, answered: Answer) -> frozenset[str]:
    """The classes in which `answered` differs; empty where both agree."""
    if len(expected) != len(answered):
        return frozenset(["depth"])
    found = set()
    for right, given in zip(expected, answered):
        if right.function != given.function:
            found.add(of_names(object, right.function, given.function))
        if right.file != given.file:
            found.add(of_files(right, given))
        if right.line != given.line:
            found.add("line")
    return frozenset(found)


def of_names(object: Path, right: str, given: str) -> str:
    if UNKNOWN in (right, given):
        return "function"
    right_stem, given_stem = stem(right), stem(given)
    if right_stem == given_stem:
        return "suffix"
    known = starts(object)
    if known.get(right_stem, set()) & known.get(given_stem, set()):
        return "alias"
    # An Itanium or Swift linkage name holds each identifier behind its length in bytes.
    if right_stem.startswith(("_Z", "$s")) and f"{len(given_stem.encode())}{given_stem}" in right_stem:
        return "plain-name"
    return "function"


def of_files(right: Frame, given: Frame) -> str:
    if given.file == UNKNOWN:
        return "file-symbol" if right.line == 0 and "/" not in right.file else "file"
    if given.file.endswith("/" + right.file) and right.file.startswith(given.file.removesuffix(right.file)):
        return "joined-twice"
    if normpath(given.file) == normpath(right.file):
        return "dots"
    same_name = right.file != UNKNOWN and PurePosixPath(right.file).name == PurePosixPath(given.file).name
    return "directory" if same_name else "file"
