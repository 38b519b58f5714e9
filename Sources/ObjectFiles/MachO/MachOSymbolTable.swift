internal import BinaryPrimitives

/// Reads the `nlist` records of `LC_SYMTAB` (`mach-o/nlist.h`).
struct MachOSymbolTable: SymbolReader {
    var layout: MachOLayout?
    var records: Range<Int>?
    var strings: Range<Int> = 0..<0
    /// `nlocalsym` of `LC_DYSYMTAB`; `nil` without that command.
    var localCount: Int?
    var problem: String?
    private(set) var isFull = false

    /// Records that are read at once: 64 KB of 16 bytes each.
    private static let recordsPerPiece = 4096

    /// Decides whether the table is the full one.
    ///
    /// `strip` takes out the local symbols (debugging symbols count among them) and leaves one, `radr://5614542`, which says so. A table with two or more is
    /// unstripped. A program with none at all counts as stripped; its function starts bound its symbols then.
    mutating func finish(_ description: ObjectFile.Description, fileType: UInt32) {
        let hasSymbols = records.map { !$0.isEmpty } ?? false
        isFull = hasSymbols && (description.kind == .relocatable || description.kind == .debugCompanion || (localCount ?? .max) > 1)
    }

    func forEachSymbol(in object: ObjectFile, _ body: (Symbol) -> Bool) throws(ObjectFileError) {
        if let problem { throw ObjectFileError(.corrupt, path: object.path, problem) }
        guard let layout, let records else { return }
        let size = layout.symbolSize
        let count = records.count / size
        var first = 0
        while first < count {
            let last = min(count, first + Self.recordsPerPiece)
            let piece = object.file.bytes(in: records.lowerBound + first * size..<records.lowerBound + last * size)
            do throws(ReadError) {
                guard try decode(piece.span.rawBytes, last - first, layout, object, body) else { return }
            } catch {
                throw ObjectFileError(.corrupt, path: object.path, "the symbol table could not be read: \(error)")
            }
            first = last
        }
    }

    /// - Returns: `false` if `body` asked to stop.
    private func decode(
        _ bytes: RawSpan, _ count: Int, _ layout: MachOLayout, _ object: ObjectFile, _ body: (Symbol) -> Bool
    ) throws(ReadError) -> Bool {
        let hasThumbBit = object.architecture.hasThumbBit
        var bytes = bytes
        for _ in 0..<count {
            let name = try bytes.takeUInt32(layout)
            let type = try bytes.take(UInt8.self)
            let sectionNumber = Int(try bytes.take(UInt8.self))
            let descriptor = try bytes.take(UInt16.self, layout.byteOrder)
            var value = try bytes.takeWord(layout)

            // N_STAB: a debugging symbol (the map from a program to its object files is made of them). N_TYPE other than N_SECT: undefined, absolute, indirect.
            guard type & 0xe0 == 0, type & 0x0e == 0x0e, sectionNumber >= 1, sectionNumber <= object.description.sections.count else {
                continue
            }
            let place = object.description.sections[sectionNumber - 1]
            guard place.isLoaded else { continue }
            let isCode = place.isExecutable
            // The symbol's own value is even, N_ARM_THUMB_DEF says Thumb; old assemblers set the bit in the value too.
            if isCode, hasThumbBit { value &= ~1 }
            let address = LinkAddress(value)
            // `__mh_execute_header` is filed under the first section and lies before it, at the image's base: it is no function.
            let isFunction = isCode && place.contains(address)
            let isExternal = type & 0x01 != 0 && type & 0x10 == 0  // N_EXT without N_PEXT
            let isWeak = descriptor & 0x0080 != 0  // N_WEAK_DEF
            let symbol = Symbol(
                name: SymbolName(
                    position: FileOffset(UInt64(strings.lowerBound) &+ UInt64(name)), tableEnd: FileOffset(UInt64(strings.upperBound))),
                address: address, size: 0, kind: isFunction ? .function : .data,
                binding: !isExternal ? .local : isWeak ? .weak : .global, section: sectionNumber)
            guard body(symbol) else { return false }
        }
        return true
    }
}
