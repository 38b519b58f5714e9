"""Rows of frames and functions of a store, as their views have them: `from store_rows import add_frame, add_function`."""
import hashlib


def key(*parts):
    """The first 63 bits of a SHA-256, as the store's documentation has it."""
    return int.from_bytes(hashlib.sha256("\x01".join(parts).encode()).digest()[:8], "big") >> 1


def text(store, value):
    if value is None:
        return None
    store.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (key("text", value), value))
    return key("text", value)


def add_frame(store, stack, number, kind, image, offset, address, printed, reason):
    common = key("frame kind", kind, "" if image is None else str(image), *([] if reason is None else [reason]))
    store.execute("INSERT OR IGNORE INTO frame_kinds VALUES (?, ?, ?, ?)", (common, kind, image, reason))
    store.execute("INSERT INTO frame_rows VALUES (?, ?, ?, ?, ?, ?)", (stack, number, common, offset, address, text(store, printed)))


def add_function(store, stack, frame, depth, name, file, line, column, inlined):
    store.execute("INSERT INTO function_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (stack, frame, depth, text(store, name), text(store, file), line, column, inlined))
