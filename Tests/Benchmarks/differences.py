"""Names what differs between two answers. A class that is checked here, not believed, may be explained for every address.

    alias      two symbols of one address: C++'s C1 and C2, glibc's `__GI_execle` and `execle`, folded twins
    suffix     the same name without the compiler's mark: `.cold`, `.isra.0`, `.lto_priv.3`, a symbol version
    plain-name the source's name where the judge has the linkage name that contains it: `offset` of `_ZL6offsetv`
    directory  the same file's name and line below another spelling of its directory
    depth      another number of frames; then nothing else is compared
    function, file, line   anything else
"""

from pathlib import Path, PurePosixPath

from answers import UNKNOWN, Answer
from symbols import starts, stem

CHECKED = {"alias", "suffix", "plain-name", "directory"}


def differences(object: Path, expected: Answer, answered: Answer) -> frozenset[str]:
    """The classes in which `answered` differs; empty where both agree."""
    if len(expected) != len(answered):
        return frozenset(["depth"])
    found = set()
    for right, given in zip(expected, answered):
        if right.function != given.function:
            found.add(of_names(object, right.function, given.function))
        if right.file != given.file:
            found.add(of_files(right.file, given.file))
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


def of_files(right: str, given: str) -> str:
    return "directory" if UNKNOWN not in (right, given) and PurePosixPath(right).name == PurePosixPath(given).name else "file"
