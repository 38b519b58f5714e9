internal import BinaryPrimitives

/// How debug sections were compressed before ELF had a flag for it: GNU binutils until 2.25 (2015),
/// and the Go linker in Mach-O files still. The section is then called `.zdebug_…` (Mach-O:
/// `__zdebug_…`), and its bytes begin with "ZLIB" and the size after inflating, eight bytes,
/// big-endian in every file; a zlib stream follows.
enum GNUCompression {
    private static let headerSize = 12

    /// Marks the section as compressed, if its name and its first bytes say so. Binutils take a
    /// section with the name and without the bytes for a plain one.
    static func mark(_ section: inout Section, in file: MappedFile) {
        guard section.compression == nil, section.name.hasPrefix(".zdebug_") || section.name.hasPrefix("__zdebug_"),
            section.fileRange.count >= headerSize
        else { return }
        let begin = section.fileRange.lowerBound
        let header = file.bytes(in: begin..<begin + headerSize)
        var cursor = header.span.rawBytes
        guard header.starts(with: Array("ZLIB".utf8)), (try? cursor.skip(4)) != nil,
            let size = try? cursor.read(UInt64.self, .bigEndian)
        else { return }
        section.compression = .zlib
        section.size = size
        section.fileRange = begin + headerSize..<section.fileRange.upperBound
    }
}
