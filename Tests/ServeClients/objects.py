"""Programs with debug information, and Breakpad symbol files of the machine's libraries, made with the machine's own tools."""

import bisect
import os
import re
import shutil
import subprocess

SOURCES = {
    # A space and a plus sign: how a client of debuginfod escapes a path is part of its protocol.
    "a b/c+d.c": """#include <stdio.h>
#include <unistd.h>
static inline __attribute__((always_inline)) int twice(int value) { return value * 2 + getpid(); }
static inline __attribute__((always_inline)) int thrice(int value) {
    return twice(value) + value;
}
__attribute__((noinline)) static int deep(int count) {
    if (count == 0) return pause();
    int result = deep(count - 1) + thrice(count);
    return result;
}
__attribute__((noinline)) int middle(int count) {
    int result = thrice(count) * deep(count);
    printf("%d\\n", result);
    return result;
}
int main(int count, char **words) {
    (void)words;
    return middle(count + 2);
}
""",
    "wall.cpp": """#include <cstdio>
#include <string>
#include <vector>
namespace wall {
template <typename Value> struct Stone {
    std::vector<Value> values;
    explicit Stone(std::size_t count) : values(count) {}
    __attribute__((noinline)) Value sum() const {
        Value result{};
        for (const auto &value : values) result += value;
        return result;
    }
};
__attribute__((noinline)) std::string name(int number) { return "stone " + std::to_string(number); }
}
int main(int count, char **) {
    wall::Stone<int> stone(count);
    wall::Stone<double> other(count + 1);
    std::puts(wall::name(stone.sum() + int(other.sum())).c_str());
}
""",
}


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options).stdout.decode("utf-8", "replace")


def build_id(path):
    match = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", path))
    return match.group(1) if match else None


def breakpad_id(identity):
    """Breakpad's spelling: the GUID's first three numbers as a little-endian machine prints them, and the age."""
    cut = bytes.fromhex(identity[:32].ljust(32, "0"))
    return (cut[3::-1] + cut[5:3:-1] + cut[7:5:-1] + cut[8:]).hex().upper() + "0"


class Program:
    """path: what runs. debug: the file with its debug information, which may be the same."""

    def __init__(self, path, debug, source):
        self.path, self.debug, self.source = path, debug, source
        self.name = os.path.basename(path)
        self.build_id = build_id(path)
        self.breakpad_id = breakpad_id(self.build_id)

    def addresses(self):
        """The first byte of every instruction of .text."""
        rows = run("objdump", "-d", "--no-show-raw-insn", "-j", ".text", self.debug if self.debug == self.path else self.path)
        return [int(address, 16) for address in re.findall(r"^ +([0-9a-f]+):\t", rows, re.M)]

    def symbols(self):
        """Functions as nm lists them: (address, size, name), by address."""
        rows = re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [TtWw] (.+)$", run("nm", "-SC", "--defined-only", self.debug), re.M)
        return sorted((int(address, 16), int(size, 16), name) for address, size, name in rows)

    def answers(self, addresses):
        """addr2line's: for each address the (function, file, line), innermost first; line 0 where it has none."""
        rows = run("addr2line", "-afiC", "-e", self.debug, *[hex(address) for address in addresses]).splitlines()
        result, frames = [], None
        while rows:
            if rows[0].startswith("0x"):
                frames = []
                result.append(frames)
                rows.pop(0)
                continue
            name, place = rows.pop(0), rows.pop(0)
            file, _, line = re.sub(r" \(discriminator \d+\)", "", place).rpartition(":")
            frames.append((name, file, int(line) if line.isdigit() else 0))
        return result


def make_programs(folder):
    """A whole program, a stripped one with its debug file apart, one with compressed sections, and one of C++."""
    for name, text in SOURCES.items():
        path = os.path.join(folder, "src", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    plain, stone = (os.path.join(folder, "src", name) for name in SOURCES)
    files = os.path.join(folder, "files")
    os.makedirs(files)
    programs = []
    for name, compiler, source, options in [
        ("whole", "gcc", plain, ["-O1"]), ("apart", "gcc", plain, ["-O2"]), ("packed", "gcc", plain, ["-O0", "-gz"]),
        ("wall", "g++", stone, ["-O2"]),
    ]:
        path = os.path.join(files, name)
        run(compiler, "-g", "-fPIE", "-pie", "-Wl,--build-id", *options, "-o", path, source)
        debug = path
        if name == "apart":
            debug = path + ".debug"
            run("objcopy", "--only-keep-debug", path, debug)
            run("strip", "--strip-all", path)
            run("objcopy", f"--add-gnu-debuglink={debug}", path)
        programs.append(Program(path, debug, source))
    return programs


def functions_of(path, debug):
    """One FUNC for each address that has a symbol with a size; they do not overlap."""
    table = run("nm", "-SC", "--defined-only", debug or path) if debug else ""
    table += run("nm", "-SCD", "--defined-only", "--without-symbol-versions", path)
    found = {}
    for address, size, name in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [TtWwi] (.+)$", table, re.M):
        address, size = int(address, 16), int(size, 16)
        if size and (address not in found or (len(name), name) < (len(found[address][1]), found[address][1])):
            found[address] = (size, name)
    # As Breakpad's dumper does, which writes the names that people read.
    if shutil.which("swift-demangle") and any(name.startswith("$s") for _, name in found.values()):
        names = run("swift-demangle", "-compact", "-simplified", input="\n".join(name for _, name in found.values()).encode()).splitlines()
        found = {address: (size, name) for (address, (size, _)), name in zip(found.items(), names)}
    rows, end = [], 0
    for address in sorted(found):
        size, name = found[address]
        if address >= end:
            rows.append((address, size, name))
            end = address + size
    return rows


def lines_of(debug):
    """Rows of the line tables: (address, line, file), by address; line None where a sequence ends."""
    tool = shutil.which("llvm-dwarfdump-19") or shutil.which("llvm-dwarfdump")
    if not debug or not tool:
        return []
    rows, names, number, folders = [], {}, 0, {}
    with subprocess.Popen([tool, "--debug-line", debug], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace") as dump:
        for line in dump.stdout:
            if line.startswith("0x"):
                fields = line.split()
                rows.append((int(fields[0], 16), None if "end_sequence" in line else int(fields[1]), names.get(int(fields[3]))))
            elif line.startswith("include_directories["):
                key, _, value = line.partition("=")
                folders[int(key[20:].strip(" ]"))] = value.strip().strip('"')
            elif line.startswith("file_names["):
                number = int(line[11:].split("]")[0])
            elif line.startswith("           name: "):
                names[number] = line.split('"')[1]
            elif line.startswith("      dir_index: "):
                names[number] = os.path.join(folders.get(int(line.split()[1]), ""), names[number])
            elif line.startswith("debug_line["):
                names, folders = {}, {}
    return sorted((row for row in rows if row[0]), key=lambda row: row[0])


def write_symbols(folder, path, debug=None):
    """NAME/ID/NAME.sym as Breakpad's dumper lays it out; the name, the id and the functions. None where there is no identity or no symbol."""
    identity = build_id(path)
    bases = [int(base, 16) for base in re.findall(r"^\s+LOAD\s+0x[0-9a-f]+ (0x[0-9a-f]+)", run("readelf", "-lW", path), re.M)]
    functions = functions_of(path, debug) if identity else []
    if not functions or min(bases) != 0:
        return None
    name, module = os.path.basename(path), breakpad_id(identity)
    files, text, rows, at = {}, [], lines_of(debug), 0
    for start, size, function in functions:
        text.append(f"FUNC {start:x} {size:x} 0 {function}")
        while at < len(rows) and rows[at][0] < start:
            at += 1
        first = at
        while first < len(rows) and rows[first][0] < start + size:
            address, line, file = rows[first]
            end = rows[first + 1][0] if first + 1 < len(rows) else start + size
            if line is not None and file and end > address:
                text.append(f"{address:x} {min(end, start + size) - address:x} {line} {files.setdefault(file, len(files))}")
            first += 1
    place = os.path.join(folder, name, module)
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, name + ".sym"), "w") as out:
        out.write(f"MODULE Linux x86_64 {module} {name}\nINFO CODE_ID {identity.upper()}\n")
        out.writelines(f"FILE {number} {file}\n" for file, number in files.items())
        out.write("\n".join(text) + "\n")
    return name, module, functions


class SymbolFile:
    """Of a symbol file: its name and id, the addresses where answers change, where its lines are, and its last public name."""

    def __init__(self, path):
        self.name = self.module = None
        self.lines, self.last_public, places = [], -1, []
        with open(path, errors="replace") as file:
            for line in file:
                fields = [field for field in line.split() if field != "m"]
                if fields[:1] == ["MODULE"]:
                    self.name, self.module = " ".join(fields[4:]), fields[3]
                elif fields[:1] == ["FUNC"]:
                    places += [int(fields[1], 16), int(fields[1], 16) + int(fields[2], 16)]
                elif fields[:1] == ["PUBLIC"]:
                    places.append(int(fields[1], 16))
                    self.last_public = max(self.last_public, places[-1])
                elif fields[:1] == ["INLINE"]:
                    for start, size in zip(fields[5::2], fields[6::2]):
                        places += [int(start, 16), int(start, 16) + int(size, 16)]
                elif len(fields) == 4 and re.fullmatch("[0-9a-f]+", fields[0]):
                    start, size = int(fields[0], 16), int(fields[1], 16)
                    places.append(start)
                    self.lines.append((start, start + size))
        self.places = sorted(set(places))
        self.lines.sort()
        # Nothing bounds a public name that nothing follows.
        self.is_open = self.last_public == max(self.places, default=0)

    def has_line(self, address):
        at = bisect.bisect(self.lines, (address, 1 << 70))
        return any(start <= address < end for start, end in self.lines[max(0, at - 4) : at])


def file_symbols(folder, path):
    """Copies a symbol file to where symbol servers have it."""
    symbols = SymbolFile(path)
    place = os.path.join(folder, symbols.name, symbols.module)
    os.makedirs(place, exist_ok=True)
    shutil.copy(path, os.path.join(place, symbols.name + ".sym"))
