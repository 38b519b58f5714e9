package import BinaryPrimitives
package import CrashLogModel

/// A row of `/proc/PID/maps` (proc(5)), which many Linux programs add to their reports:
///
///     7f1c2a000000-7f1c2a021000 r-xp 00001000 08:01 1311768    /usr/lib/libc.so.6
package struct MemoryMapRow: Sendable {
    package var start: RuntimeAddress
    package var end: RuntimeAddress
    /// `r-xp`
    package var permissions: String
    /// Offset in the file at which the mapping begins.
    package var fileOffset: UInt64
    /// Path of the mapped file, without ` (deleted)` after it. Empty for memory without a file;
    /// `[heap]`, `[vdso]` for the kernel's own.
    package var path: String

    /// A mapping that is given in another form: by gdb, by perf.
    package init(start: RuntimeAddress, end: RuntimeAddress, permissions: String = "", fileOffset: UInt64, path: String) {
        self.start = start
        self.end = end
        self.permissions = permissions
        self.fileOffset = fileOffset
        self.path = path
    }

    package init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard let low = rest.readHexadecimal(), rest.consume("-"), let high = rest.readHexadecimal(), low < high, rest.consume(" ") else {
            return nil
        }
        rest.skipBlanks()
        let permissions = rest.readToken()
        guard permissions.count == 4 || permissions.count == 5, let first = permissions.at(0),
            first == UInt8(ascii: "r") || first == UInt8(ascii: "-")
        else { return nil }
        rest.skipBlanks()
        guard let offset = rest.readHexadecimal(), rest.consume(" ") else { return nil }
        rest.skipBlanks()
        let device = rest.readToken()
        guard device.firstIndex(of: UInt8(ascii: ":")) != nil else { return nil }
        rest.skipBlanks()
        guard rest.readDecimal() != nil else { return nil }
        var name = rest.trimmed()
        _ = name.consumeSuffix(" (deleted)")
        start = RuntimeAddress(low)
        end = RuntimeAddress(high)
        self.permissions = permissions.text
        fileOffset = offset
        path = name.text
    }
}

/// The images that a memory map has: each mapped file once, from its first mapping to the end of
/// its last.
package struct MemoryMap {
    private var images: [BinaryImage] = []
    /// The last image of a path: a file that is mapped twice, elsewhere, is a second image.
    private var last: [String: Int] = [:]
    /// End of the last mapping.
    private var end = RuntimeAddress(0)
    private let limit = Limits.standard.images

    package init() {}

    /// A file's first byte is where its first mapping begins less that mapping's file offset. (The
    /// program header's first segment holds the file's first byte, in every linker's output: if it
    /// is linked at 0, this is the load bias.) Memory without a file and the kernel's own ranges
    /// (`[heap]`) are not images; `[vdso]` is one.
    package mutating func add(_ row: MemoryMapRow) {
        let follows = row.start == end
        end = row.end
        guard row.path.hasPrefix("/") || row.path == "[vdso]" else { return }
        if let index = last[row.path], let base = images[index].base, row.start >= base,
            // A second mapping of the file from its beginning on is another copy of it; unless it
            // follows the first: in a small file of LLVM's linker one page of the file holds
            // several segments, and is mapped once for each.
            row.fileOffset > 0 || (follows && index == images.count - 1), let size = row.end.distance(from: base)
        {
            images[index].size = max(images[index].size ?? 0, size)
            return
        }
        guard images.count < limit, row.fileOffset <= row.start.value else { return }
        let image = BinaryImage(
            name: Path.foreignName(of: row.path), path: row.path, base: RuntimeAddress(row.start.value - row.fileOffset),
            size: row.end.value - row.start.value + row.fileOffset)
        last[row.path] = images.count
        images.append(image)
    }

    /// In the map's order. Files that are mapped to be read alone (locales, fonts) are among them:
    /// no frame is in one.
    package var all: [BinaryImage] { images }

    package var isEmpty: Bool { images.isEmpty }
}
