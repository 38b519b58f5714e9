"""Makes the kernel caches of this folder: two images linked by lld, put into one file of the type MH_FILESET as Apple's are.

    python3 build.py        (Debian: clang-19, lld-19)

An image in a kernel cache has its header somewhere in the file, and all its file offsets count
from the file's beginning. The symbols' names of all images are in one pool. Those are the
differences from the linked images, and what `joined` does; and it adds an address to all of
theirs, because lld links at zero. (Structures: `mach-o/loader.h`.)
"""
import os, struct, subprocess, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
IMAGES = [
    (
        "com.apple.kernel",
        0xFFFFFF8000200000,
        "int kernel_level;\nint panic_here(int x) { return kernel_level + x; }\nint start_kernel(int x) { return panic_here(x) + 1; }\n",
    ),
    (
        "com.example.driver.tank",
        0xFFFFFF8000300000,
        "static int fill(int x) { return x * 7; }\nint (*tank_fill)(int) = fill;\nint tank_open(int x) { return tank_fill(x) + 2; }\n",
    ),
]
SEGMENT, SYMTAB, DYSYMTAB = 0x19, 0x2, 0xB
DYLD_INFO = (0x22, 0x80000022)
# Signature, split information, function starts, data in code, signing requirements, optimization
# hints, exports, fixups: an offset and a size each.
LINKEDIT_DATA = (0x1D, 0x1E, 0x26, 0x29, 0x2B, 0x2E, 0x80000033, 0x80000034)
ENTRY = 0x80000035
PAGE = 0x1000


def linked(folder, name, source):
    path = os.path.join(folder, name)
    with open(path + ".c", "w") as file:
        file.write(source)
    compile = ["clang-19", "-target", "x86_64-apple-macos12", "-O1", "-fno-inline", "-ffreestanding", "-c", path + ".c", "-o", path + ".o"]
    link = ["ld64.lld-19", "-arch", "x86_64", "-platform_version", "macos", "12.0", "12.0", "-dylib", "-install_name", name]
    subprocess.run(compile, check=True, cwd=folder)
    subprocess.run(link + ["-o", path, path + ".o"], check=True, cwd=folder)
    with open(path, "rb") as file:
        return bytearray(file.read())


def commands(image):
    at = 32
    for _ in range(struct.unpack_from("<I", image, 16)[0]):
        command, size = struct.unpack_from("<II", image, at)
        yield at, command
        at += size


def move(image, at, distance):
    """Adds to the 32-bit file offset there; zero is none."""
    value = struct.unpack_from("<I", image, at)[0]
    if value:
        struct.pack_into("<I", image, at, value + distance)


def add(image, at, distance):
    struct.pack_into("<Q", image, at, struct.unpack_from("<Q", image, at)[0] + distance)


def joined(images):
    heads = b"".join(entry_command(name, 0, 0) for name, _, _ in images)
    position = -(-(32 + len(heads)) // PAGE) * PAGE
    pool, placed = bytearray(), []
    for name, base, image in images:
        placed.append((name, base, position, image))
        position += -(-len(image) // PAGE) * PAGE
    for _, base, start, image in placed:
        for at, command in commands(image):
            if command == SEGMENT:
                add(image, at + 24, base)
                add(image, at + 40, start)
                for section in range(struct.unpack_from("<I", image, at + 64)[0]):
                    add(image, at + 72 + 80 * section + 32, base)
                    move(image, at + 72 + 80 * section + 48, start)
            elif command == SYMTAB:
                symbols, count, strings, size = struct.unpack_from("<IIII", image, at + 8)
                for index in range(count):
                    name = struct.unpack_from("<I", image, symbols + 16 * index)[0]
                    struct.pack_into("<I", image, symbols + 16 * index, name + len(pool))
                    if image[symbols + 16 * index + 4] & 0x0E == 0x0E:  # N_SECT: not what is imported
                        add(image, symbols + 16 * index + 8, base)
                pool += image[strings:strings + size]
                image[strings:strings + size] = bytes(size)
                struct.pack_into("<II", image, at + 8, symbols + start, count)
            elif command == DYSYMTAB:
                for field in (32, 40, 48, 56, 64, 72):
                    move(image, at + field, start)
            elif command in DYLD_INFO:
                for field in (8, 16, 24, 32, 40):
                    move(image, at + field, start)
            elif command in LINKEDIT_DATA:
                move(image, at + 8, start)
    for _, _, _, image in placed:
        for at, command in commands(image):
            if command == SYMTAB:
                struct.pack_into("<II", image, at + 16, position, len(pool))
    heads = b"".join(entry_command(name, base, start) for name, base, start, _ in placed)
    file = header(12, len(placed), len(heads)) + heads
    for _, _, start, image in placed:
        file = file.ljust(start, b"\0") + image
    return file.ljust(position, b"\0") + pool


def header(kind, count, size):
    return struct.pack("<IIIIIIII", 0xFEEDFACF, 0x01000007, 3, kind, count, size, 0, 0)


def entry_command(name, address, offset):
    text = name.encode() + b"\0"
    size = -(-(32 + len(text)) // 8) * 8
    return struct.pack("<IIQQII", ENTRY, size, address, offset, 32, 0) + text.ljust(size - 32, b"\0")


def write(name, content):
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(content)


with tempfile.TemporaryDirectory() as folder:
    images = [(name, base, linked(folder, name, source)) for name, base, source in IMAGES]
    write("kernel-cache", joined(images))

# One header of 56 bytes with a symbol table of the whole file, as 4,096 entries.
one = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x01000007, 3, 2, 1, 24, 0, 0)
many = 4096
start = 32 + 40 * many
symbols = struct.pack("<IIIIII", SYMTAB, 24, 0, (start + 56) // 16, 0, start + 56)
heads = b"".join(entry_command("e", 0, start) for _ in range(many))
write("one-image-as-all-entries", header(12, many, len(heads)) + heads + one + symbols)
# An entry that is the file itself, one outside of it, one whose name is, and one that is no Mach-O image.
bad = [entry_command("self", 0, 0), entry_command("outside", 0, 1 << 40), entry_command("nothing", 0, 40)]
bad.append(struct.pack("<IIQQIIQ", ENTRY, 40, 0, 0, 4000, 0, 0))
heads = b"".join(bad)
write("bad-entries", header(12, len(bad), len(heads)) + heads)
