internal import BinaryPrimitives

/// Reads COFF's symbol table (Microsoft, "PE Format", "COFF Symbol Table").
///
/// The value of a record counts from the section, whose number counts from 1. There are no sizes.
///
/// A stripped library has its export directory alone ("PE Format", "The .edata Section"): tables of functions by ordinals, and of
/// names, each with the ordinal of its function.
struct PESymbolTable: SymbolReader {
    let records: Range<Int>
    let strings: Range<Int>
    let layout: COFFSymbolLayout
    let exportDirectory: Segment?

    /// A table has the static symbols, too; what `strip` leaves is none at all.
    var isFull: Bool { !records.isEmpty }

    /// Records that are read at once: 72 KB.
    private static let recordsPerPiece = 4096

    func forEachSymbol(in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool) throws(ObjectFileError) {
        let size = layout.size
        let count = records.count / size
        var window = window
        var (first, skipped) = (0, 0)
        while first < count {
            let last = min(count, first + Self.recordsPerPiece)
            let start = records.lowerBound + first * size
            let piece = object.file.bytes(in: start..<records.lowerBound + last * size)
            for index in 0..<piece.count / size {
                if skipped > 0 {
                    skipped -= 1
                    continue
                }
                let record = piece.span.rawBytes.clamped(to: index * size..<(index + 1) * size)
                skipped = layout.auxiliaryCount(record)
                guard let symbol = symbol(record, at: start + index * size, in: object), window.mayHold(symbol.address.value, 0) else {
                    continue
                }
                window.pass(symbol.address.value)
                guard body(symbol) else { return }
            }
            first = last
        }
    }

    func exports(of object: ObjectFile) throws(ObjectFileError) -> [LinkedName] {
        guard !isFull, let directory = exportDirectory else { return [] }
        do throws(ReadError) {
            return try object.file.withBytes { bytes throws(ReadError) in try exports(in: bytes, directory, object) }
        } catch {
            throw ObjectFileError(.corrupt, path: object.path, "the export directory cannot be read: \(error)")
        }
    }

    /// The directory has the number of names at byte 24; from byte 28 on the addresses of the tables of functions, names and ordinals.
    private func exports(in file: RawSpan, _ directory: Segment, _ object: ObjectFile) throws(ReadError) -> [LinkedName] {
        let (base, segments) = (object.baseAddress.value, object.description.segments)
        let head = file.clamped(to: directory.fileRange)
        func table(_ field: Int) throws(ReadError) -> Range<Int> {
            let address = base &+ UInt64(try head.value(UInt32.self, at: field, .littleEndian))
            return segments.fileRange(from: LinkAddress(address)) ?? 0..<0
        }
        let functions = file.clamped(to: try table(28))
        let names = file.clamped(to: try table(32))
        let ordinals = file.clamped(to: try table(36))
        let count = min(Int(try head.value(UInt32.self, at: 24, .littleEndian)), names.byteCount / 4, ordinals.byteCount / 2)
        var found: [LinkedName] = []
        for index in 0..<count {
            let ordinal = Int(try ordinals.value(UInt16.self, at: 2 * index, .littleEndian))
            let name = LinkAddress(base &+ UInt64(try names.value(UInt32.self, at: 4 * index, .littleEndian)))
            guard let offset = try? functions.value(UInt32.self, at: 4 * ordinal, .littleEndian), offset > 0,
                case let address = LinkAddress(base &+ UInt64(offset)),
                // An address in the directory itself is that of a text: another library has the function.
                !(address.distance(from: directory.address).map { $0 < directory.size } ?? false),
                object.section(containing: address)?.isExecutable == true, let position = segments.fileRange(from: name),
                let text = object.file.string(
                    from: FileOffset(UInt64(position.lowerBound)), before: FileOffset(UInt64(position.upperBound)),
                    limit: Limits.standard.nameLength)
            else { continue }
            found.append(
                LinkedName(name: text, address: object.architecture.hasThumbBit ? LinkAddress(address.value & ~1) : address, size: 0))
        }
        return found
    }

    /// - Returns: `nil` for a record that defines no symbol in a section of the image.
    private func symbol(_ record: RawSpan, at position: Int, in object: ObjectFile) -> Symbol? {
        let sections = object.description.sections
        let sectionNumber = layout.section(record)
        guard sectionNumber >= 1, sectionNumber <= sections.count, case let section = sections[sectionNumber - 1], section.isLoaded else {
            return nil
        }
        // IMAGE_SYM_CLASS_EXTERNAL, _STATIC. Labels and the names of files are others.
        let storage = layout.storageClass(record)
        guard storage == 2 || storage == 3 else { return nil }
        // IMAGE_SYM_DTYPE_FUNCTION.
        let isFunction = layout.type(record) >> 4 & 3 == 2
        // A section's own symbol has its size in an auxiliary record.
        if !isFunction, storage == 3, layout.auxiliaryCount(record) > 0 { return nil }
        let value = section.address.value &+ UInt64(layout.value(record))
        let isCode = section.isExecutable
        return Symbol(
            name: name(record, at: position), address: LinkAddress(isCode && object.architecture.hasThumbBit ? value & ~1 : value), size: 0,
            kind: isFunction ? .function : isCode ? .untyped : .data, binding: storage == 2 ? .global : .local, section: sectionNumber)
    }

    /// The name is in the record, or four zeros and its offset in the string table are.
    private func name(_ record: RawSpan, at position: Int) -> SymbolName {
        guard (try? record.value(UInt32.self, at: 0, .littleEndian)) == 0 else {
            return SymbolName(position: FileOffset(UInt64(position)), tableEnd: FileOffset(UInt64(position + 8)))
        }
        let offset = (try? record.value(UInt32.self, at: 4, .littleEndian)) ?? 0
        return SymbolName(
            position: FileOffset(UInt64(strings.lowerBound) + UInt64(offset)), tableEnd: FileOffset(UInt64(strings.upperBound)))
    }
}
