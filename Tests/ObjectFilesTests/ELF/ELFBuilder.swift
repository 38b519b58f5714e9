import BinaryPrimitives
import ObjectFiles
import TestSupport
import Testing

/// Makes small ELF files of either class and byte order, so that a test states all of their
/// contents.
struct ELFBuilder {
    struct Section {
        var name: String
        /// `sh_name` if it is not the offset of `name`.
        var nameOffset: UInt32?
        var type: UInt32
        var flags: UInt64 = 0
        var address: UInt64 = 0
        var bytes: [UInt8] = []
        /// `sh_size` where it is not the number of `bytes`.
        var size: UInt64?
        var link: UInt32 = 0
        /// `sh_info`: the section that relocations change.
        var info: UInt32 = 0
        var alignment: UInt64 = 1
    }

    struct Segment {
        var type: UInt32
        var flags: UInt32 = 4
        var offset: UInt64 = 0
        var address: UInt64
        var fileSize: UInt64
        var memorySize: UInt64
        var alignment: UInt64 = 0x1000
    }

    var is64Bit = true
    var order = ByteOrder.littleEndian
    var type: UInt16 = 3  // ET_DYN
    var machine: UInt16 = 62  // EM_X86_64
    /// After the null section; the table of names comes last by itself.
    var sections: [Section] = []
    var segments: [Segment] = []
    /// Header fields that hold 16 bits move into the first section header (`SHN_XINDEX`,
    /// `PN_XNUM`).
    var usesExtendedNumbers = false
    var hasSectionHeaders = true

    func build() -> [UInt8] {
        var names: [UInt8] = [0]
        var all = [Section(name: "", type: 0)] + sections
        all.append(Section(name: ".shstrtab", type: 3))
        var nameOffsets: [UInt32] = []
        for section in all {
            nameOffsets.append(section.nameOffset ?? (section.name.isEmpty ? 0 : UInt32(names.count)))
            if !section.name.isEmpty { names += Array(section.name.utf8) + [0] }
        }
        all[all.count - 1].bytes = names

        let headerSize = is64Bit ? 64 : 52
        let segmentSize = is64Bit ? 56 : 32
        var position = headerSize + segments.count * segmentSize
        var offsets: [Int] = []
        for section in all {
            offsets.append(position)
            position += section.bytes.count
        }
        let tableOffset = (position + 7) & ~7

        var writer = ByteWriter(order)
        writer.bytes = [0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, order == .littleEndian ? 1 : 2, 1] + [UInt8](repeating: 0, count: 9)
        writer.put(type)
        writer.put(machine)
        writer.put(UInt32(1))
        writer.putWord(0, wide: is64Bit)  // e_entry
        writer.putWord(segments.isEmpty ? 0 : UInt64(headerSize), wide: is64Bit)
        writer.putWord(hasSectionHeaders ? UInt64(tableOffset) : 0, wide: is64Bit)
        writer.put(UInt32(0))  // e_flags
        writer.put(UInt16(headerSize))
        writer.put(UInt16(segmentSize))
        writer.put(usesExtendedNumbers ? 0xffff : UInt16(segments.count))
        writer.put(UInt16(is64Bit ? 64 : 40))
        writer.put(usesExtendedNumbers || !hasSectionHeaders ? 0 : UInt16(all.count))
        writer.put(usesExtendedNumbers ? 0xffff : hasSectionHeaders ? UInt16(all.count - 1) : 0)
        for segment in segments { put(segment, &writer) }
        for section in all { writer.bytes += section.bytes }
        guard hasSectionHeaders else { return writer.bytes }
        writer.bytes += [UInt8](repeating: 0, count: tableOffset - writer.bytes.count)
        if usesExtendedNumbers {
            all[0].size = UInt64(all.count)
            all[0].link = UInt32(all.count - 1)
        }
        for (index, section) in all.enumerated() {
            put(section, name: nameOffsets[index], offset: index == 0 ? 0 : offsets[index], &writer)
        }
        return writer.bytes
    }

    private func put(_ segment: Segment, _ writer: inout ByteWriter) {
        writer.put(segment.type)
        if is64Bit { writer.put(segment.flags) }
        for value in [segment.offset, segment.address, segment.address, segment.fileSize, segment.memorySize] {
            writer.putWord(value, wide: is64Bit)
        }
        if !is64Bit { writer.put(segment.flags) }
        writer.putWord(segment.alignment, wide: is64Bit)
    }

    private func put(_ section: Section, name: UInt32, offset: Int, _ writer: inout ByteWriter) {
        writer.put(name)
        writer.put(section.type)
        writer.putWord(section.flags, wide: is64Bit)
        writer.putWord(section.address, wide: is64Bit)
        writer.putWord(UInt64(offset), wide: is64Bit)
        writer.putWord(section.size ?? UInt64(section.bytes.count), wide: is64Bit)
        writer.put(section.link)
        // `sh_info` of the first header holds the number of segments where that is extended.
        writer.put(usesExtendedNumbers && section.type == 0 ? UInt32(segments.count) : section.info)
        writer.putWord(section.alignment, wide: is64Bit)
        writer.putWord(0, wide: is64Bit)
    }

    /// A record of the symbol table.
    func symbol(name: UInt32, value: UInt64, size: UInt64, info: UInt8, section: UInt16) -> [UInt8] {
        var writer = ByteWriter(order)
        writer.put(name)
        if !is64Bit {
            writer.put(UInt32(value))
            writer.put(UInt32(size))
        }
        writer.bytes += [info, 0]
        writer.put(section)
        if is64Bit {
            writer.put(value)
            writer.put(size)
        }
        return writer.bytes
    }

    /// A note, as `NT_GNU_BUILD_ID` is written.
    func note(owner: String, type: UInt32, contents: [UInt8]) -> [UInt8] {
        var writer = ByteWriter(order)
        let name = Array(owner.utf8) + [0]
        writer.put(UInt32(name.count))
        writer.put(UInt32(contents.count))
        writer.put(type)
        for field in [name, contents] { writer.bytes += field + [UInt8](repeating: 0, count: -field.count & 3) }
        return writer.bytes
    }

    /// The compression header of `SHF_COMPRESSED`.
    func compressionHeader(type: UInt32, size: UInt64) -> [UInt8] {
        var writer = ByteWriter(order)
        writer.put(type)
        if is64Bit { writer.put(UInt32(0)) }
        writer.putWord(size, wide: is64Bit)
        writer.putWord(1, wide: is64Bit)
        return writer.bytes
    }
}

/// The four ways to write ELF.
enum Encoding: CaseIterable, Sendable, CustomTestStringConvertible {
    case little32, big32, little64, big64
    var is64Bit: Bool { self == .little64 || self == .big64 }
    var order: ByteOrder { self == .little32 || self == .little64 ? .littleEndian : .bigEndian }
    var testDescription: String { "\(is64Bit ? 64 : 32)-bit \(order)" }
}

/// Opens an object from bytes in memory.
func object(_ bytes: [UInt8]) throws -> ObjectFile {
    let objects = try ObjectFiles.openAll(MappedFile(bytes: bytes.span.rawBytes, name: "test"))
    return objects[0]
}

/// A copy of the bytes. (Copying byte by byte needs seconds for megabytes in a debug build.)
func array(_ bytes: RawSpan) -> [UInt8] { unsafe bytes.withUnsafeBytes { unsafe Array($0) } }

/// A zlib stream (RFC 1950) of stored blocks (RFC 1951, section 3.2.4): the bytes as they are, in
/// pieces of at most 65,535, and their Adler-32.
func zlibStored(_ bytes: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(.littleEndian)
    writer.bytes = [0x78, 0x01]
    var rest = bytes[...]
    repeat {
        let piece = rest.prefix(65_535)
        rest = rest.dropFirst(piece.count)
        writer.bytes.append(rest.isEmpty ? 1 : 0)
        writer.put(UInt16(piece.count))
        writer.put(~UInt16(piece.count))
        writer.bytes += piece
    } while !rest.isEmpty
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in bytes {
        low = (low + UInt32(byte)) % 65_521
        high = (high + low) % 65_521
    }
    var checksum = ByteWriter(.bigEndian)
    checksum.put(high << 16 | low)
    return writer.bytes + checksum.bytes
}
