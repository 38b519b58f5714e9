internal import BinaryPrimitives

/// Reads a COFF object of Windows, as compilers write it (Microsoft, "PE Format"), into an `ObjectFile`. Its sections get addresses as
/// those of relocatable ELF files do.
enum COFFReader {
    /// - Returns: `nil` if the file does not begin as a COFF object does.
    static func open(_ file: MappedFile, _ limits: Limits) throws(ObjectFileError) -> ObjectFile? {
        guard let header = COFFHeader(object: file) else { return nil }
        guard header.sectionCount <= limits.sections else {
            throw ObjectFileError(
                .corrupt, path: file.path, "the COFF object declares \(header.sectionCount) sections, expected \(limits.sections) at most")
        }
        let symbolBytes = header.symbolCount * header.symbolLayout.size
        guard PESections.range(header.symbolsOffset, symbolBytes, in: file) != nil else {
            throw ObjectFileError(
                .corrupt, path: file.path,
                "\(symbolBytes) bytes of symbols should be at byte \(header.symbolsOffset), the file ends at byte \(file.size): it is cut short"
            )
        }
        let reader = PESections(file: file, header: header, offset: header.size, imageBase: 0)
        let architecture = header.architecture
        var description = ObjectFile.Description(
            container: .pe, kind: .relocatable, architecture: architecture, byteOrder: .littleEndian,
            addressSize: [.x86_64, .arm64].contains(architecture) ? 8 : 4)
        description.sections = try reader.read()
        let table = file.bytes(in: header.size..<header.size + header.sectionCount * PESections.headerSize)
        let headers = (0..<header.sectionCount).map { COFFSectionHeader(table.span.rawBytes, number: $0) }
        for (index, header) in headers.enumerated() where header.isForLinker { description.sections[index].isLoaded = false }
        description.sectionsArePlaced = SectionAddresses.assign(
            to: &description.sections, alignments: headers.map(\.alignment), addressSize: description.addressSize)
        description.namesMayFillRange = true
        let symbols = PESymbolTable(
            records: reader.symbolRecords, strings: reader.stringTable, layout: header.symbolLayout, exportDirectory: nil)
        return ObjectFile(
            file: file, slice: 0..<file.size, description: description, symbolReader: symbols,
            relocations: COFFRelocations(header: header, headers: headers, symbols: symbols, sections: description.sections), limits: limits
        )
    }
}

/// The fields of an object's section header that its section lacks.
struct COFFSectionHeader {
    /// Offset of the relocations in the file, and their number.
    let relocations: (offset: Int, count: Int)
    /// IMAGE_SCN_LNK_NRELOC_OVFL: there are more, and the first record's address is their number.
    let hasMoreRelocations: Bool
    /// IMAGE_SCN_LNK_INFO, IMAGE_SCN_LNK_REMOVE, IMAGE_SCN_MEM_DISCARDABLE: options of the linker, and debug information.
    let isForLinker: Bool
    /// Bytes.
    let alignment: UInt64

    /// - Parameter number: from 0.
    init(_ table: RawSpan, number: Int) {
        let header = table.clamped(to: number * PESections.headerSize..<(number + 1) * PESections.headerSize)
        let count = Int((try? header.value(UInt16.self, at: 32, .littleEndian)) ?? 0)
        let flags = (try? header.value(UInt32.self, at: 36, .littleEndian)) ?? 0
        relocations = (Int((try? header.value(UInt32.self, at: 24, .littleEndian)) ?? 0), count)
        hasMoreRelocations = flags & 0x0100_0000 != 0 && count == 0xffff
        isForLinker = flags & 0x0200_0a00 != 0
        // IMAGE_SCN_ALIGN_1BYTES is 1, IMAGE_SCN_ALIGN_8192BYTES 14; without one of them it is 16 bytes.
        let power = UInt64(flags >> 20 & 0xf)
        alignment = (1...14).contains(power) ? 1 << (power - 1) : 16
    }
}
