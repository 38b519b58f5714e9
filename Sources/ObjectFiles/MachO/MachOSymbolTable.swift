internal import BinaryPrimitives

/// Reads the `nlist` records of `LC_SYMTAB` (`mach-o/nlist.h`).
struct MachOSymbolTable: SymbolReader {
    var layout: MachOLayout?
    var records: Range<Int>?
    var strings: Range<Int> = 0..<0
    /// Numbers of the local symbols (`ilocalsym` and `nlocalsym` of `LC_DYSYMTAB`), and of the external ones that are defined
    /// (`iextdefsym`, `nextdefsym`); `nil` without that command.
    var locals: Range<Int>?
    var externals: Range<Int>?
    var problem: String?
    var dynamic = MachODynamicTables()
    /// `LC_FUNCTION_STARTS` and `LC_DATA_IN_CODE`; empty where there are none.
    var functionStarts = 0..<0
    var dataInCode = 0..<0
    /// Offset of `<redacted>` in the string table, which is the name of each symbol that has lost its own: they are passed over.
    var redactedName: UInt32?
    private(set) var isFull = false

    /// Records that are read at once: 64 KB of 16 bytes each.
    private static let recordsPerPiece = 4096

    /// Decides whether the table is the full one.
    ///
    /// `strip` removes the local symbols (debugging symbols count among them) and leaves one,
    /// `radr://5614542`, as a mark. A table with two or more is unstripped. A program with none at
    /// all counts as stripped; its function starts bound its symbols then.
    mutating func finish(_ description: ObjectFile.Description, fileType: UInt32) {
        let hasSymbols = records.map { !$0.isEmpty } ?? false
        isFull = hasSymbols && (description.kind == .relocatable || description.kind == .debugCompanion || (locals?.count ?? .max) > 1)
    }

    func forEachSymbol(
        in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool
    ) throws(ObjectFileError) {
        let hasThumbBit = object.architecture.hasThumbBit
        try forEachRecord(in: object) { record in
            guard let symbol = symbol(record, in: object, hasThumbBit: hasThumbBit) else { return true }
            return body(symbol)
        }
    }

    /// Gives every record of the table to `body`, debugging symbols among them, in its order.
    /// - Parameter body: returns `false` to stop.
    func forEachRecord(in object: ObjectFile, _ body: (MachOSymbolRecord) -> Bool) throws(ObjectFileError) {
        if let problem { throw ObjectFileError(.corrupt, path: object.path, problem) }
        guard let layout, let records else { return }
        let size = layout.symbolSize
        let count = records.count / size
        var first = 0
        while first < count {
            let last = min(count, first + Self.recordsPerPiece)
            let piece = object.file.bytes(in: records.lowerBound + first * size..<records.lowerBound + last * size)
            do throws(ReadError) {
                var bytes = piece.span.rawBytes
                for _ in first..<last {
                    guard body(try MachOSymbolRecord(&bytes, layout)) else { return }
                }
            } catch {
                throw ObjectFileError(.corrupt, path: object.path, "the symbol table could not be read: \(error)")
            }
            first = last
        }
    }

    /// The record with that number; `nil` outside of the table.
    func record(_ number: Int, in object: ObjectFile) -> MachOSymbolRecord? {
        guard let layout, let records, problem == nil, number >= 0, number < records.count / layout.symbolSize else { return nil }
        let start = records.lowerBound + number * layout.symbolSize
        let piece = object.file.bytes(in: start..<start + layout.symbolSize)
        var bytes = piece.span.rawBytes
        return try? MachOSymbolRecord(&bytes, layout)
    }

    /// The name at an offset in the string table.
    func name(at index: UInt32) -> SymbolName {
        SymbolName(position: FileOffset(UInt64(strings.lowerBound) &+ UInt64(index)), tableEnd: FileOffset(UInt64(strings.upperBound)))
    }

    /// - Returns: `nil` for a record that defines no symbol in a section of the image.
    private func symbol(_ record: MachOSymbolRecord, in object: ObjectFile, hasThumbBit: Bool) -> Symbol? {
        // N_TYPE other than N_SECT: undefined, absolute, indirect.
        let sectionNumber = Int(record.section)
        guard !record.isDebugging, record.type & 0x0e == 0x0e, sectionNumber >= 1, sectionNumber <= object.description.sections.count,
            record.name != redactedName
        else { return nil }
        let section = object.description.sections[sectionNumber - 1]
        guard section.isLoaded else { return nil }
        let isCode = section.isExecutable
        // The symbol's own value is even, N_ARM_THUMB_DEF says Thumb; old assemblers set the bit in
        // the value too.
        let address = LinkAddress(isCode && hasThumbBit ? record.value & ~1 : record.value)
        // `__mh_execute_header` is filed under the first section and is before it, at the image's
        // base: it is not a function.
        let isFunction = isCode && section.contains(address)
        let isExternal = record.type & 0x01 != 0 && record.type & 0x10 == 0  // N_EXT without N_PEXT
        let isWeak = record.descriptor & 0x0080 != 0  // N_WEAK_DEF
        return Symbol(
            name: name(at: record.name), address: address, size: 0, kind: isFunction ? .function : .data,
            binding: !isExternal ? .local : isWeak ? .weak : .global, section: sectionNumber)
    }

    /// `N_ARM_THUMB_DEF` of symbols and the lowest bit of function starts, in 32-bit ARM; and the
    /// entries of `LC_DATA_IN_CODE` (`data_in_code_entry`).
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] {
        var marks: [CodeMark] = []
        if object.architecture.hasThumbBit {
            try forEachRecord(in: object) { record in
                let number = Int(record.section)
                guard !record.isDebugging, record.type & 0x0e == 0x0e, number >= 1, number <= object.description.sections.count,
                    object.description.sections[number - 1].isExecutable
                else { return true }
                let isThumb = record.descriptor & 0x0008 != 0 || record.value & 1 != 0
                marks.append(CodeMark(address: LinkAddress(record.value & ~1), kind: isThumb ? .thumb : .arm))
                return true
            }
            let starts = object.file.bytes(in: functionStarts)
            for start in FunctionStarts.decode(starts.span.rawBytes, from: object.baseAddress, clearingThumbBit: false).addresses {
                marks.append(CodeMark(address: LinkAddress(start.value & ~1), kind: start.value & 1 != 0 ? .thumb : .arm))
            }
        }
        guard let layout else { return marks }
        let entries = object.file.bytes(in: dataInCode)
        var bytes = entries.span.rawBytes
        while let offset = try? bytes.readUInt32(layout), let length = try? bytes.read(UInt16.self, layout.byteOrder),
            (try? bytes.skip(2)) != nil
        {
            guard length > 0, let address = object.baseAddress.advanced(by: UInt64(offset)) else { continue }
            marks.append(CodeMark(address: address, kind: .data, size: UInt64(length)))
        }
        return marks
    }
}

/// `nlist`, `nlist_64`.
struct MachOSymbolRecord {
    /// `n_strx`.
    let name: UInt32
    let type: UInt8
    /// `n_sect`: from 1; 0 for none.
    let section: UInt8
    let descriptor: UInt16
    let value: UInt64

    init(_ bytes: inout RawSpan, _ layout: MachOLayout) throws(ReadError) {
        name = try bytes.readUInt32(layout)
        type = try bytes.read(UInt8.self)
        section = try bytes.read(UInt8.self)
        descriptor = try bytes.read(UInt16.self, layout.byteOrder)
        value = try bytes.readWord(layout)
    }

    /// N_STAB: a debugging symbol. The map from a program to its object files is made of them.
    var isDebugging: Bool { type & 0xe0 != 0 }
}

/// `LC_FUNCTION_STARTS`: starts of the functions of `__TEXT`, as ULEB128 distances, the first from
/// the segment's address, up to a zero. (`ld64` writes them; `dyld_info -function_starts` prints
/// them.)
enum FunctionStarts {
    /// - Returns: the addresses, ascending, and what stopped the list early, if something did.
    static func decode(
        _ bytes: RawSpan, from base: LinkAddress, clearingThumbBit: Bool
    ) -> (addresses: [LinkAddress], problem: String?) {
        var bytes = bytes
        var addresses: [LinkAddress] = []
        var position = base
        while bytes.byteCount > 0 {
            guard let distance = try? bytes.readULEB128(), let next = position.advanced(by: distance) else {
                return (addresses, "the function starts are damaged after \(addresses.count) entries")
            }
            if distance == 0 { break }
            position = next
            // The distances carry the Thumb bit of each address.
            addresses.append(clearingThumbBit ? LinkAddress(position.value & ~1) : position)
        }
        return (addresses, nil)
    }
}
