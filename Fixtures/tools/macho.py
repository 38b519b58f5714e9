"""What llvm-nm, llvm-objdump and llvm-dwarfdump say of one slice of a Mach-O file, as values."""

import re
import tempfile

from symbolizer import line_rows, row_around, run


class Slice:
    """One architecture of a Mach-O file and of the DWARF file in its dSYM."""

    def __init__(self, binary, dwarf, arch):
        self.binary, self.dwarf, self.arch = binary, dwarf, arch
        self.symbols = self._symbols()
        self.calls = self._calls()
        self.rows = line_rows(dwarf, arch)
        headers = run("llvm-objdump-19", "--macho", "--private-headers", f"--arch={arch}", binary)
        text = re.search(r"segname __TEXT\n\s+vmaddr (0x[0-9a-f]+)\n\s+vmsize (0x[0-9a-f]+)", headers)
        self.base = int(text[1], 16)
        self.text_size = int(text[2], 16)
        self.uuid = re.search(r"uuid ([0-9A-F-]{36})", headers)[1]

    def _symbols(self):
        """Names (without the underscore that C names carry in Mach-O) to (address, end) of what lies in __TEXT."""
        listed = []
        for line in run("llvm-nm-19", "-n", f"--arch={self.arch}", self.binary).splitlines():
            match = re.match(r"^([0-9a-f]{16}) [tT] (.*)$", line)
            if match:
                listed.append((int(match[1], 16), match[2].removeprefix("_")))
        ends = [address for address, _ in listed[1:]] + [1 << 63]
        return {name: (address, end) for (address, name), end in zip(listed, ends)}

    def _calls(self):
        """(address of a call, address of the instruction after it), from the disassembly."""
        with tempfile.NamedTemporaryFile() as thin:
            # llvm-objdump disassembles a universal file's first slice only.
            run("llvm-lipo-19", "-thin", self.arch, self.binary, "-output", thin.name)
            text = run("llvm-objdump-19", "-d", "--no-show-raw-insn", thin.name)
        instruction = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)")
        listed = [(int(m[1], 16), m[2]) for m in map(instruction.match, text.splitlines()) if m]
        return [(a, b) for (a, name), (b, _) in zip(listed, listed[1:]) if name in ("bl", "blr", "call", "callq")]

    def symbol_at(self, address):
        """The name of the function around a link address, and the offset from its entry."""
        for name, (start, end) in self.symbols.items():
            if start <= address < end:
                return name, address - start
        raise SystemExit(f"no symbol at {address:#x}")

    def return_address(self, function, line):
        """The link address after the one call that `function` makes at `line`."""
        start, end = self.symbols[function]
        found = [after for at, after in self.calls if start <= at < end and row_around(self.rows, at)[2] == line]
        if len(found) != 1:
            raise SystemExit(f"{function}: {len(found)} calls at line {line}: expected exactly one")
        return found[0]

    def first_instruction(self, function, line):
        """The link address at which the code of `line` begins in `function`."""
        start, end = self.symbols[function]
        found = [row[0] for row in self.rows if start <= row[0] < end and row[1] == line and row[3]]
        if not found:
            raise SystemExit(f"{function}: no code at line {line}")
        return min(found)


def line_of(source, text):
    """The number of the one line of a source file that contains `text`."""
    with open(source, encoding="utf-8") as file:
        found = [number for number, line in enumerate(file, 1) if text in line]
    if len(found) != 1:
        raise SystemExit(f"{source}: {len(found)} lines contain {text!r}: expected exactly one")
    return found[0]
