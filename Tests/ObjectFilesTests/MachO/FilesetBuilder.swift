import BinaryPrimitives
import TestSupport

/// Makes kernel caches (`MH_FILESET`): images at multiples of 4 KB, and after them a pool of all
/// names.
struct FilesetBuilder {
    var is64Bit = true
    var order = ByteOrder.littleEndian
    var cpu: (type: UInt32, subtype: UInt32) = (0x0100_000c, 0)
    var images: [(name: String, image: MachOBuilder)] = []
    /// Entries of the given name and file offset after those of `images`.
    var otherEntries: [(name: String, offset: UInt64)] = []
    /// Offset of names that the commands give.
    var nameOffset: UInt32 = 32

    /// Offset of each image in the file that `build` makes.
    var positions: [Int] {
        var position = Self.page(after: header(entries: []).count + images.map(\.name).reduce(0) { $0 + entry($1, 0).count } + otherSize)
        return images.map { _, image in
            defer { position = Self.page(after: position + image.build().count) }
            return position
        }
    }

    func build() -> [UInt8] {
        let positions = positions
        var pool: [UInt8] = [0]
        for (_, image) in images { for symbol in image.symbols { pool += Array(symbol.name.utf8) + [0] } }
        let entries = zip(images, positions).map { ($0.name, UInt64($1)) } + otherEntries
        var bytes = header(entries: entries.map { entry($0.0, $0.1) })
        let end = zip(images, positions).map { $1 + $0.image.build().count }.last ?? bytes.count
        for ((_, image), position) in zip(images, positions) {
            var image = image
            image.fileOffset = position
            image.pool = (Self.page(after: end), pool)
            bytes += [UInt8](repeating: 0, count: position - bytes.count) + image.build()
        }
        return bytes + [UInt8](repeating: 0, count: max(0, Self.page(after: end) - bytes.count)) + pool
    }

    private var otherSize: Int { otherEntries.reduce(0) { $0 + entry($1.name, $1.offset).count } }

    private func header(entries: [[UInt8]]) -> [UInt8] {
        var writer = ByteWriter(order)
        writer.put(is64Bit ? 0xfeed_facf : 0xfeed_face as UInt32)
        let size = UInt32(entries.reduce(0) { $0 + $1.count })
        for value in [cpu.type, cpu.subtype, 12, UInt32(entries.count), size, 0] { writer.put(value) }
        if is64Bit { writer.put(UInt32(0)) }
        return writer.bytes + entries.joined()
    }

    /// `LC_FILESET_ENTRY`: its `vmaddr` is left zero.
    private func entry(_ name: String, _ offset: UInt64) -> [UInt8] {
        let size = (32 + name.utf8.count + 1 + 7) & ~7
        var writer = ByteWriter(order)
        writer.put(0x8000_0035 as UInt32)
        writer.put(UInt32(size))
        writer.put(UInt64(0))
        writer.put(offset)
        writer.put(nameOffset)
        writer.put(UInt32(0))
        writer.put(name: name, width: size - 32)
        return writer.bytes
    }

    private static func page(after position: Int) -> Int { (position + 0xfff) & ~0xfff }
}
