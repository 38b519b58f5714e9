internal import BinaryPrimitives

/// The relocations of a COFF object (Microsoft, "PE Format", "COFF Relocations"): records of 10 bytes, with the field's offset in the
/// section 4, the number of the symbol 4, and the type 2. Addends are in the fields.
struct COFFRelocations: Relocations {
    let header: COFFHeader
    /// By the numbers of the sections, from 0.
    let headers: [COFFSectionHeader]
    let symbols: PESymbolTable
    let sections: [Section]

    private static let recordSize = 10
    /// Records that are read at once.
    private static let recordsPerPiece = 4096

    /// Effect of a type on the field: S is the symbol's address, A the addend, P the field's own address.
    private enum Rule {
        case nothing
        /// S + A.
        case absolute(Int)
        /// S + A - (P + 4): from the byte after the field.
        case relative
    }

    func change(_ section: Section) -> Bool {
        headers.indices.contains(section.number - 1) && headers[section.number - 1].relocations.count > 0
            && (section.isDebug && !section.isLoaded || section.name == ".eh_frame")
    }

    func apply(to section: Section, of object: ObjectFile, _ bytes: inout [UInt8]) throws(ObjectFileError) {
        let records = try records(of: section, in: object)
        let values = symbolValues(in: object)
        var first = 0
        while first < records.count / Self.recordSize {
            let last = min(records.count / Self.recordSize, first + Self.recordsPerPiece)
            let piece = object.file.bytes(
                in: records.lowerBound + first * Self.recordSize..<records.lowerBound + last * Self.recordSize)
            for index in 0..<last - first {
                let record = piece.span.rawBytes.clamped(to: index * Self.recordSize..<(index + 1) * Self.recordSize)
                try apply(record, "relocation \(first + index) of section \(section.name)", values, section, object, &bytes)
            }
            first = last
        }
    }

    /// The records' bytes in the file.
    private func records(of section: Section, in object: ObjectFile) throws(ObjectFileError) -> Range<Int> {
        let header = headers[section.number - 1]
        var (offset, count) = header.relocations
        if header.hasMoreRelocations, let range = PESections.range(offset, Self.recordSize, in: object.file),
            let number = try? object.file.bytes(in: range).span.rawBytes.value(UInt32.self, at: 0, .littleEndian), number > 0
        {
            (offset, count) = (offset + Self.recordSize, Int(number) - 1)
        }
        guard let range = PESections.range(offset, count * Self.recordSize, in: object.file) else {
            throw ObjectFileError(
                .corrupt, path: object.path,
                "\(count) relocations of section \(section.name) should be at byte \(offset), the file ends at byte \(object.file.size)")
        }
        return range
    }

    /// Addresses of the symbols by their numbers, zero for undefined ones and for auxiliary records.
    private func symbolValues(in object: ObjectFile) -> [UInt32] {
        let layout = symbols.layout
        let table = object.file.bytes(in: symbols.records)
        var values = [UInt32](repeating: 0, count: table.count / layout.size)
        var index = 0
        while index < values.count {
            let record = table.span.rawBytes.clamped(to: index * layout.size..<(index + 1) * layout.size)
            let section = layout.section(record)
            let start = section >= 1 && section <= sections.count ? sections[section - 1].address.value : 0
            if section != 0 { values[index] = UInt32(truncatingIfNeeded: start) &+ layout.value(record) }
            index += 1 + layout.auxiliaryCount(record)
        }
        return values
    }

    private func apply(
        _ record: RawSpan, _ label: @autoclosure () -> String, _ values: [UInt32], _ section: Section, _ object: ObjectFile,
        _ bytes: inout [UInt8]
    ) throws(ObjectFileError) {
        let offset = Int((try? record.value(UInt32.self, at: 0, .littleEndian)) ?? 0)
        let number = Int((try? record.value(UInt32.self, at: 4, .littleEndian)) ?? 0)
        let type = (try? record.value(UInt16.self, at: 8, .littleEndian)) ?? 0
        guard let rule = rule(type) else {
            throw ObjectFileError(
                .unsupported, path: object.path, "\(label()) is of type \(type), which is not supported for \(object.architecture)")
        }
        guard values.indices.contains(number) else {
            throw ObjectFileError(
                .corrupt, path: object.path, "\(label()) refers to symbol \(number), which the symbol table does not have")
        }
        let size: Int
        var value = UInt64(values[number])
        switch rule {
        case .nothing: return
        case .absolute(let count): size = count
        case .relative: (size, value) = (4, value &- (section.address.value &+ UInt64(offset) &+ 4))
        }
        guard offset <= bytes.count, size <= bytes.count - offset else {
            throw ObjectFileError(.corrupt, path: object.path, "\(label()) changes byte \(offset) of a section of \(bytes.count) bytes")
        }
        for index in (0..<size).reversed() { value = value &+ UInt64(bytes[offset + index]) << UInt64(8 * index) }
        for index in 0..<size { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    }

    /// Types of fields in debug and unwind sections. Offsets in a section (`…_SECREL`) refer to debug sections, whose addresses are
    /// their offsets. Addresses from the image's first byte (`…_ADDR32NB`) are those of an image at zero.
    private func rule(_ type: UInt16) -> Rule? {
        switch (header.architecture, type) {
        case (_, 0): .nothing
        // IMAGE_REL_AMD64_ADDR64; ADDR32, ADDR32NB, SECREL; REL32.
        case (.x86_64, 1): .absolute(8)
        case (.x86_64, 2), (.x86_64, 3), (.x86_64, 0xb): .absolute(4)
        case (.x86_64, 4): .relative
        // IMAGE_REL_I386_DIR32, DIR32NB, SECREL; REL32.
        case (.i386, 6), (.i386, 7), (.i386, 0xb): .absolute(4)
        case (.i386, 0x14): .relative
        // IMAGE_REL_ARM64_ADDR64; ADDR32, ADDR32NB, SECREL; REL32.
        case (.arm64, 0xe): .absolute(8)
        case (.arm64, 1), (.arm64, 2), (.arm64, 8): .absolute(4)
        case (.arm64, 0x11): .relative
        // IMAGE_REL_ARM_ADDR32, ADDR32NB, SECREL; REL32.
        case (.arm, 1), (.arm, 2), (.arm, 0xf): .absolute(4)
        case (.arm, 0xa): .relative
        default: nil
        }
    }
}
