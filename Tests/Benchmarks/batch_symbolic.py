"""A program over symbolic, as a service would be written in Python: answers logs and keeps their frames in SQLite.

    batch_symbolic.py index CACHES FILE...    makes the SymCaches
    batch_symbolic.py answer CACHES STORE < paths of logs, a line each

One SymCache an image is open for the whole run, what an address means is looked up once a run (`lru_cache`), and a transaction holds 500 logs.
"""

import functools
import os
import sqlite3
import sys

from batch_reading import read
from symbolic.debuginfo import Archive, SymCache


def index(caches: str, files: list[str]) -> None:
    os.makedirs(caches, exist_ok=True)
    for path in files:
        for object in Archive.open(path).iter_objects():
            uuid = object.debug_id.replace("-", "").lower()[:32]
            with open(os.path.join(caches, f"{uuid}.{object.arch}"), "wb") as output:
                object.make_symcache().dump_into(output)


def answer(caches: str, store: str) -> None:
    opened = {}
    for name in os.listdir(caches):
        uuid, _, arch = name.partition(".")
        # The lowest bit of an address of 32-bit ARM says that the code is Thumb's.
        opened[uuid] = SymCache.open(os.path.join(caches, name)), ~1 if arch.startswith("armv") else ~0

    @functools.lru_cache(maxsize=1 << 16)
    def lookup(image: str, offset: int, is_return: bool) -> list[tuple]:
        cache, mask = opened[image]
        return [
            (depth, found.symbol, found.full_path, found.line)
            for depth, found in enumerate(cache.lookup((offset & mask) - is_return))
        ]

    database = sqlite3.connect(store)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("CREATE TABLE frames (log TEXT, thread INTEGER, number INTEGER, image TEXT, offset INTEGER, is_return INTEGER, depth INTEGER, function TEXT, file TEXT, line INTEGER)")
    insert = "INSERT INTO frames VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    for number, path in enumerate(sys.stdin.read().splitlines()):
        if number % 500 == 0:
            database.commit()
        with open(path, "rb") as file:
            frames = read(file.read())
        rows = []
        for frame in frames:
            found = lookup(frame.image, frame.offset, frame.is_return) if frame.image in opened else ()
            for answer in found or ((0, None, None, None),):
                rows.append((path, *frame, *answer))
        database.executemany(insert, rows)
    database.commit()
    database.close()


if sys.argv[1] == "index":
    index(sys.argv[2], sys.argv[3:])
else:
    answer(sys.argv[2], sys.argv[3])
