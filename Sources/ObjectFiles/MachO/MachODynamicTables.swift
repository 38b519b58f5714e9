internal import BinaryPrimitives

/// Tables for dyld in a Mach-O file that name addresses: the indirect symbols of its stubs, and its
/// exports.
struct MachODynamicTables: Sendable {
    /// A section of stubs (`S_SYMBOL_STUBS`: `__stubs`, `__auth_stubs`, `__symbol_stub`,
    /// `__picsymbolstub1`, `__jump_table`).
    struct StubSection: Sendable {
        var address: LinkAddress
        var size: UInt64
        /// Bytes of one stub: `reserved2` of the section.
        var stubSize: UInt64
        /// Index of the first stub in the indirect symbol table: `reserved1`.
        var firstEntry: UInt64
    }

    var stubSections: [StubSection] = []
    /// `indirectsymoff`, `nindirectsyms` of `LC_DYSYMTAB`: a number of 32 bits for each stub and
    /// pointer, the index of its symbol. Empty where there is none.
    var indirectSymbols = 0..<0
    /// The exports trie; empty where there is none.
    var exports = 0..<0

    /// The stub around an address, and its index in the indirect symbol table.
    func stub(containing address: LinkAddress) -> (address: LinkAddress, size: UInt64, entry: UInt64)? {
        for section in stubSections {
            guard let distance = address.distance(from: section.address), distance < section.size, section.stubSize > 0 else { continue }
            let index = distance / section.stubSize
            guard let start = section.address.advanced(by: index * section.stubSize) else { return nil }
            return (start, section.stubSize, section.firstEntry &+ index)
        }
        return nil
    }
}

extension MachOSymbolTable {
    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? {
        guard let layout, let records, let stub = dynamic.stub(containing: address),
            let index = number(at: stub.entry, of: dynamic.indirectSymbols, 4, layout, object)
        else { return nil }
        // INDIRECT_SYMBOL_LOCAL and INDIRECT_SYMBOL_ABS: what `strip` leaves of the entry of a
        // local symbol.
        guard index & 0xc000_0000 == 0, let name = number(at: UInt64(index), of: records, layout.symbolSize, layout, object) else {
            return nil
        }
        let text = self.name(at: name).text(in: object)
        guard !text.isEmpty else { return nil }
        // Apple's tools put the prefix before the name as they print it, without the compiler's
        // underscore.
        return LinkedName(
            name: "DYLD-STUB$$" + (text.hasPrefix("_") ? String(text.dropFirst()) : text), address: stub.address, size: stub.size)
    }

    func stubRanges(in object: ObjectFile) -> [Range<UInt64>] {
        var ranges: [Range<UInt64>] = []
        for section in dynamic.stubSections where section.stubSize > 0 {
            var address = section.address
            while ranges.count < object.limits.stubs, let stub = dynamic.stub(containing: address), stub.address == address,
                let end = address.advanced(by: stub.size)
            {
                ranges.append(address.value..<end.value)
                address = end
            }
        }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// The first four bytes of the record with that index in a table.
    private func number(
        at index: UInt64, of table: Range<Int>, _ size: Int, _ layout: MachOLayout, _ object: ObjectFile
    ) -> UInt32? {
        guard index < UInt64(table.count / size) else { return nil }
        let start = table.lowerBound + Int(index) * size
        let bytes = object.file.bytes(in: start..<start + 4)
        var rest = bytes.span.rawBytes
        return try? rest.readUInt32(layout)
    }

    func exports(of object: ObjectFile) throws(ObjectFileError) -> [LinkedName] {
        let (entries, problem) = object.file.withBytes { ExportsTrie.decode($0.clamped(to: dynamic.exports)) }
        if let problem { throw ObjectFileError(.corrupt, path: object.path, "the exports trie: \(problem)") }
        return entries.compactMap { entry in
            guard let address = object.baseAddress.advanced(by: entry.offset) else { return nil }
            // A function in Thumb code is exported with the Thumb bit set.
            let isThumb = object.architecture.hasThumbBit && object.section(containing: address)?.isExecutable ?? false
            return LinkedName(name: entry.name, address: isThumb ? LinkAddress(address.value & ~1) : address, size: 0)
        }
    }
}
