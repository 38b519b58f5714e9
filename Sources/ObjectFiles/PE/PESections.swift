internal import BinaryPrimitives

/// Turns the section headers of a PE image or a COFF object into sections, each offset and size checked against the file.
///
/// A name longer than eight bytes is `/N`, N being its offset in the string table, which follows the symbols; LLVM writes
/// offsets of more than seven digits as `//` and six digits of base64.
struct PESections {
    let file: MappedFile
    let header: COFFHeader
    /// Offset in the file of the first section header.
    let offset: Int
    /// Zero for an object.
    let imageBase: UInt64

    static let headerSize = 40
    /// Maximum number of bytes of a name; only generated ones are longer.
    private static let nameLength = 1024

    func read() throws(ObjectFileError) -> [Section] {
        let start = offset
        let needed = header.sectionCount * Self.headerSize
        guard start <= file.size, needed <= file.size - start else {
            throw ObjectFileError(
                .corrupt, path: file.path,
                "\(header.sectionCount) section headers should be at byte \(start), the file ends at byte \(file.size): it is cut short")
        }
        let table = file.bytes(in: start..<start + needed)
        let bytes = table.span.rawBytes
        return (0..<header.sectionCount).map { index in
            section(bytes.clamped(to: index * Self.headerSize..<(index + 1) * Self.headerSize), number: index + 1)
        }
    }

    /// - Parameter header: name 0, size in memory 8, address 12, size in the file 16, offset 20, flags 36.
    private func section(_ header: RawSpan, number: Int) -> Section {
        func word(_ offset: Int) -> UInt32 { (try? header.value(UInt32.self, at: offset, .littleEndian)) ?? 0 }
        let name = name(header.clamped(to: 0..<8))
        let (memorySize, fileSize, offset, flags) = (word(8), word(16), word(20), word(36))
        // Bytes beyond the size in memory are padding.
        let size = memorySize == 0 ? fileSize : memorySize
        let count = offset == 0 ? 0 : min(size, fileSize)
        let range = Self.range(Int(offset), Int(count), in: file)
        // Debug sections have addresses, too: those of no code or data of the program.
        let isDebug = [".debug_", ".zdebug_", ".gnu_debug"].contains(where: name.hasPrefix)
        var section = Section(
            name: name, number: number, address: LinkAddress(imageBase &+ UInt64(word(12))), size: UInt64(size),
            fileRange: range ?? 0..<0, isLoaded: !isDebug,
            // IMAGE_SCN_MEM_EXECUTE.
            isExecutable: flags & 0x2000_0000 != 0)
        if range == nil {
            section.problem = "section \(name) of \(count) bytes should be at byte \(offset), the file ends at byte \(file.size)"
        } else if isDebug {
            section.size = UInt64(section.fileRange.count)
            GNUCompression.mark(&section, in: file)
        }
        return section
    }

    private func name(_ field: RawSpan) -> String {
        let text = field.prefix(field.lengthOfCString() ?? field.byteCount).string()
        guard let offset = Self.stringOffset(text) else { return text }
        let start = stringTable.lowerBound + offset
        guard offset >= 4, start < stringTable.upperBound else { return text }
        return file.string(from: FileOffset(UInt64(start)), before: FileOffset(UInt64(stringTable.upperBound)), limit: Self.nameLength)
            ?? text
    }

    private static func stringOffset(_ name: String) -> Int? {
        guard name.hasPrefix("/") else { return nil }
        guard name.hasPrefix("//") else { return Int(name.dropFirst()).flatMap { $0 >= 0 ? $0 : nil } }
        var value = 0
        for digit in name.utf8.dropFirst(2) {
            guard let bits = base64Digits.firstIndex(of: digit) else { return nil }
            value = value << 6 | bits
        }
        return value
    }

    private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The symbol records; empty if the file has none, or not all of them.
    var symbolRecords: Range<Int> {
        header.symbolsOffset == 0
            ? 0..<0 : Self.range(header.symbolsOffset, header.symbolCount * header.symbolLayout.size, in: file) ?? 0..<0
    }

    /// The string table, which begins with its own size; empty without symbols.
    var stringTable: Range<Int> {
        let start = header.symbolsOffset + header.symbolCount * header.symbolLayout.size
        guard header.symbolsOffset > 0, start <= file.size - 4,
            let size = try? file.bytes(in: start..<start + 4).span.rawBytes.value(UInt32.self, at: 0, .littleEndian)
        else { return 0..<0 }
        return start..<start + min(Int(size), file.size - start)
    }

    /// - Returns: `nil` if the range is not all in the file.
    static func range(_ offset: Int, _ count: Int, in file: MappedFile) -> Range<Int>? {
        offset <= file.size && count <= file.size - offset ? offset..<offset + count : nil
    }
}
