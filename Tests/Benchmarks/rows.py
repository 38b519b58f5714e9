"""The benchmark's rows. A new row is one entry of `ROWS`.

`rows.py` prints the rows; `rows.py --objects NAME...` prints the objects those rows need (all default rows' without names).
"""

import sys
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    name: str
    about: str
    """Addresses of one object are looked up: the object's name (a function of `objects.sh`) and how many."""
    object: str = ""
    addresses: int = 0
    """Or plain commands are timed, whose output is not compared: tool's name, or a program's in the cache → its arguments."""
    commands: dict[str, list[str]] = field(default_factory=dict)
    """An index of the object is made, and the addresses are asked from it."""
    index: bool = False
    """The addresses are asked of `cairn llvm-symbolizer` and of the judge, whose whole output is compared; nobody else is asked."""
    personality: bool = False
    """Or a log of this format, with so many frames in the object, is symbolicated; the object with its code (a function of `objects.sh`)."""
    log: str = ""
    code: str = ""
    """Its rows: return addresses, or functions' first bytes."""
    place: str = "return"
    """The code is at hand, too: a stripped program beside its debug file."""
    with_code: bool = False
    """The largest allowed share of what cairn takes for the log's addresses alone."""
    share: float | None = None
    """Or text of this kind (a function of `texts.sh`) passes through `cairn filter`."""
    text: str = ""
    """The largest allowed share of the best peer's time, and of the best peer's memory, whichever peers these are."""
    bounds: tuple[float, float] | None = None
    """Whether it is measured when no row is named."""
    default: bool = True


VERSION = ["--version"]
SMALL = "Fixtures/binaries/C/out/c-clang-dwarf5-O2"
SMALL_ADDRESS = "0x760"
"""`main` of that file."""
INDEX = (0.1, 0.08)
"""The bounds of making an index."""
FROM_INDEX = (0.4, 0.15)
"""The bounds of a process that asks an index which is there."""
SLOWER = 1.05
"""Share of an earlier cairn's time from which on a row is an error (`--against`)."""
INDEX_SIZE = 0.65
"""The largest allowed share of the size of symbolic's."""

ROWS = [
    Row(
        "startup",
        "print the version",
        commands={name: VERSION for name in ("cairn", "llvm-symbolizer-21", "llvm-symbolizer-19", "addr2line", "eu-addr2line")},
    ),
    Row(
        "start",
        "one address in a small file; beside it an empty program in Swift, linked as cairn is, that maps the file",
        commands={
            "cairn": ["addr2line", "-fie", SMALL, SMALL_ADDRESS],
            "addr2line": ["-fie", SMALL, SMALL_ADDRESS],
            "eu-addr2line": ["-fie", SMALL, SMALL_ADDRESS],
            "llvm-symbolizer-21": [f"--obj={SMALL}", SMALL_ADDRESS],
            "empty-swift": [SMALL],
        },
    ),
    Row("libjvm-one", "one address, sections uncompressed", "libjvm", 1, bounds=(0.2, 0.1)),
    Row("libjvm-1000", "1,000 addresses, sections uncompressed", "libjvm", 1000, bounds=(0.12, 0.08)),
    Row("libjvm-zlib-one", "one address, sections compressed", "libjvm-zlib", 1, bounds=(0.12, 0.08)),
    Row("libjvm-zlib-1000", "1,000 addresses, sections compressed", "libjvm-zlib", 1000, bounds=(0.2, 0.1)),
    Row("libjvm-index", "make an index; one address and 1,000 from it", "libjvm", 1000, index=True, bounds=INDEX),
    Row("libjvm-zlib-index", "the same, sections compressed", "libjvm-zlib", 1000, index=True, bounds=INDEX, default=False),
    Row("librados-raw-1000", "1,000 addresses, C++ templates, sections uncompressed", "librados-raw", 1000, bounds=(0.15, 0.12)),
    Row("librados-one", "one address, C++ templates, sections compressed", "librados", 1, bounds=(0.12, 0.08)),
    Row("librados-1000", "1,000 addresses, C++ templates, sections compressed", "librados", 1000, bounds=(0.2, 0.1)),
    Row("librados-index", "make an index, sections compressed", "librados", 1000, index=True, bounds=INDEX, default=False),
    Row("qt-one", "one address, Qt, sections compressed", "qt", 1, bounds=(0.12, 0.08), default=False),
    Row("qt-1000", "1,000 addresses, Qt, sections compressed", "qt", 1000, bounds=(0.2, 0.1), default=False),
    Row("qt-index", "make an index, Qt, sections compressed", "qt", 1000, index=True, bounds=INDEX, default=False),
    Row("clang-one", "one address, C++ from clang: no DW_AT_sibling", "duckdb-clang", 1),
    Row("clang-1000", "1,000 addresses, C++ from clang: no DW_AT_sibling", "duckdb-clang", 1000, bounds=(0.2, 0.1)),
    Row("pe-one", "one address, a program for Windows of 100 MB", "pe", 1, bounds=(0.2, 0.1), default=False),
    Row("pe-1000", "1,000 addresses, a program for Windows of 100 MB", "pe", 1000, bounds=(0.2, 0.1), default=False),
    Row("wasm-one", "one address, a WebAssembly module of 50 MB", "wasm", 1, bounds=(0.2, 0.1), default=False),
    Row("wasm-1000", "1,000 addresses, a WebAssembly module of 50 MB", "wasm", 1000, bounds=(0.2, 0.1), default=False),
    Row("libc-1000", "1,000 addresses, C and assembly, sections compressed", "libc", 1000),
    Row("python-1000", "1,000 addresses, C, sections compressed", "python", 1000),
    Row("swift-1000", "1,000 addresses, Swift", "swift", 1000, bounds=(0.2, 0.1)),
    Row("vmlinux-index", "make an index of a kernel; one address and 1,000 from it", "vmlinux", 1000, index=True, bounds=INDEX, default=False),
    Row("vmlinux-one", "one address, kernel", "vmlinux", 1, bounds=(0.2, 0.1), default=False),
    Row("vmlinux-1000", "1,000 addresses, kernel", "vmlinux", 1000, bounds=(0.12, 0.08), default=False),
    *(
        Row(f"log-{object}{name}", f"a log of 30 frames, {about}", object, 30, log=format, code="libjvm-code", bounds=bounds, share=share, **options)
        for object, name, format, about, bounds, share, options in [
            ("libjvm", "", "asan", "debug file alone, sections uncompressed", (0.2, 0.1), 1.3, {}),
            ("libjvm-zlib", "", "asan", "debug file alone, sections compressed", (0.45, 0.15), 1.2, {}),
            ("libjvm-zlib", "-index", "asan", "the same with its index", None, 2.0, {"index": True}),
            ("libjvm", "-stripped", "asan", "the library and its debug file", (0.2, 0.1), 1.3, {"with_code": True}),
            ("libjvm", "-glibc", "glibc-handler", "glibc's rows below a handler", (0.2, 0.1), 1.5, {}),
            ("libjvm", "-hs_err", "hs_err", "hs_err", (0.2, 0.1), 1.5, {}),
            ("libjvm", "-tombstone", "tombstone", "Android's tombstone", (0.2, 0.1), 1.5, {}),
            ("libjvm", "-rust", "rust", "Rust's panic, no load address, the library and its debug file", None, 3.0, {"with_code": True}),
            ("libjvm-zlib", "-first", "glibc", "at functions' first bytes", None, 1.3, {"place": "first byte"}),
        ]
    ),
    Row("log-libc", "a log of 30 frames, the C library and its debug file, compressed", "libc", 30, log="glibc", code="libc-code", with_code=True, share=1.5),
    Row("log-python", "a log of 30 frames, python and its debug file, compressed", "python", 30, log="systemd", code="python-code", with_code=True, share=1.5),
    Row("log-macho", "an .ips of 30 frames, a dSYM alone", "macho", 30, log="ips", code="macho-code", bounds=(0.2, 0.1), share=1.5),
    Row("log-macho-apple", "the same as a .crash", "macho", 30, log="apple", code="macho-code", bounds=(0.2, 0.1), share=1.5),
    Row("logs-1000", "1,000 logs of one program, each of 30 frames, one batch", "libjvm-zlib", 1000, log="batch", code="libjvm-code", default=False),
    *(Row(f"text-{kind}", f"4 MB of text through cairn filter: {about}", text=kind) for kind, about in [
        ("ci", "a test run's console"), ("nm", "nm"), ("disassembly", "objdump -d"), ("symbols", "readelf -s"), ("hex", "xxd"),
        ("strace", "strace"), ("map", "a linker's map"), ("json", "JSON, a document a line"), ("source", "C++"), ("pointers", "a log with a pointer in each line"),
    ]),
    Row("million", "1,000,000 addresses on standard input; some minutes", "libjvm", 1_000_000, personality=True, bounds=(0.05, 0.1), default=False),
]


def selected(names: list[str]) -> list[Row]:
    """The rows of these names, a name's beginning up to a `-` being enough (`libjvm`); the default rows without names."""
    if not names:
        return [row for row in ROWS if row.default]
    for name in names:
        if not any(matches(row, name) for row in ROWS):
            sys.exit(f"bench: no row {name}: expected one of {', '.join(row.name for row in ROWS)}")
    return [row for row in ROWS if any(matches(row, name) for name in names)]


def matches(row: Row, name: str) -> bool:
    return row.name == name or row.name.startswith(name + "-")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--texts"]:
        print("\n".join(row.text for row in selected(sys.argv[2:]) if row.text))
    elif sys.argv[1:2] == ["--objects"]:
        rows = selected(sys.argv[2:])
        print("\n".join(dict.fromkeys(name for row in rows for name in (row.object, row.code) if name)))
    else:
        print("\n".join(f"{row.name:18} {row.about}{'' if row.default else ' (only when named)'}" for row in ROWS))
