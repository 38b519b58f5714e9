"""The columns of a symbolicated crash, as `cairn stream` writes them (Documentation/stream.md)."""

# The number of the report in its log counts from 0; -1 is a log without a report, which has `error`.
REPORT = "number INT"
TEXTS = [
    "group", "signature", "title", "family", "kind", "absence", "stack", "format", "process", "identifier", "version", "platform", "architecture", "system", "device",
    "instant", "time", "cause_kind", "cause_type", "signal", "message", "fault_address", "meaning",
]
NUMBERS = {"resolved_frames": "INT", "unresolved_frames": "INT", "pid": "INT", "instant_ns": "BIGINT"}
OWN_FRAME = {"own_function": "function", "own_file": "file", "own_line": "line", "own_module": "module"}

NAMES = (
    ["key", "number"] + TEXTS + list(NUMBERS) + ["lacks_symbols"] + list(OWN_FRAME) + ["report", "problems", "error_kind", "error"])


def type_of(name):
    if name in NUMBERS:
        return NUMBERS[name]
    return {"number": "INT", "lacks_symbols": "BOOLEAN", "own_line": "INT"}.get(name, "STRING")


SCHEMA = ", ".join(f"`{name}` {type_of(name)}" for name in NAMES)
