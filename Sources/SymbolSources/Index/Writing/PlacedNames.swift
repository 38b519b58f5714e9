internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The names of an index.
struct PlacedNames {
    private let object: ObjectFile
    private let symbols: PlacedSymbols
    private let nameKeys: NameKeys
    private var textOffsets: [UInt32] = []
    private var texts: [UInt8] = []

    /// - Parameters:
    ///   - nameKeys: of the names in the debug information.
    ///   - kept: the names that are in entries themselves.
    init(_ object: ObjectFile, _ symbols: PlacedSymbols, _ nameKeys: NameKeys, _ kept: [EntryTexts]) throws(IndexRefusal) {
        self.object = object
        self.symbols = symbols
        self.nameKeys = nameKeys
        try placeNames(kept)
    }

    /// Texts that are read before pages of the file are given back.
    private static let textsBetweenReleases = 4096

    /// Texts that several keys have are stored once: the symbol table's names are those of the
    /// debug information.
    private mutating func placeNames(_ kept: [EntryTexts]) throws(IndexRefusal) {
        let keys = symbols.usedKeys
        textOffsets.reserveCapacity(keys.count)
        var table = IndexTextTable(expected: keys.count)
        let hasUnderscores = object.description.namesHaveUnderscores
        // Symbols' names have the least keys.
        let symbolCount = keys.firstIndex { symbols.keys.position($0) == nil } ?? keys.count
        try object.file.withBytes { (bytes: RawSpan) throws(IndexRefusal) in
            let names = bytes.clamped(to: 0..<Int(clamping: symbols.namesEnd))
            for key in keys[..<symbolCount] {
                guard let position = symbols.keys.position(key), let rest = try? names.from(position),
                    let length = rest.lengthOfCString(within: symbols.nameRooms[position]), length > 0
                else { throw IndexRefusal("the name of a symbol is missing") }
                // As `ObjectFile.sourceName`.
                let isMangled = hasUnderscores && length > 0 && rest.byte(at: 0) == UInt8(ascii: "_")
                textOffsets.append(table.offset(of: rest.clamped(to: (isMangled ? 1 : 0)..<length)))
                // They are read in the order of the string table.
                if textOffsets.count % Self.textsBetweenReleases == 0 { object.file.releasePages() }
            }
        }
        object.file.releasePages()
        let stubs = keys[symbolCount...].prefix { symbols.keys.stub($0) != nil }
        for key in stubs {
            let name = symbols.keys.stub(key).map { object.sourceName(symbols.stubs[$0].name) } ?? ""
            textOffsets.append(table.offset(of: name))
        }
        nameKeys.forEachText(keys[stubs.endIndex...], kept) { text in
            textOffsets.append(table.offset(of: text))
            // Texts are scattered over the string sections.
            if textOffsets.count % Self.textsBetweenReleases == 0 { nameKeys.releasePages() }
        }
        guard textOffsets.count == keys.count else { throw IndexRefusal("a name cannot be read") }
        guard table.bytes.count < Int(UInt32.max) else { throw IndexRefusal("its names take more than 4 GB") }
        texts = table.bytes
    }

    /// Writes the tables from the symbols' starts to the names' texts.
    func write(_ tables: inout TableWriter, _ append: TableWriter.Append) throws(FileError) {
        try tables.write(.symbolStarts, append) { table throws(FileError) in
            for start in symbols.starts { try table.add(start, append) }
        }
        try tables.write(.symbolNames, append) { table throws(FileError) in for name in symbols.names { try table.add(name, append) } }
        try tables.write(.symbolEntries, append) { table throws(FileError) in
            for (key, entry) in symbols.entries {
                try table.add(UInt64(key), append)
                try table.add(entry, append)
            }
        }
        try tables.write(.sharedCode, append) { table throws(FileError) in
            for (address, key) in symbols.sharedCode {
                try table.add(address, append)
                try table.add(UInt64(key), append)
            }
        }
        try tables.write(.nameKeys, append) { table throws(FileError) in for key in symbols.usedKeys { try table.add(key, append) } }
        try tables.write(.nameOffsets, append) { table throws(FileError) in for offset in textOffsets { try table.add(offset, append) } }
        try tables.write(.nameTexts, append) { table throws(FileError) in try table.add(texts, append) }
    }
}

extension RawSpan {
    /// Length of a string that ends with a zero byte, or, if `room` is given, after so many bytes.
    fileprivate func lengthOfCString(within room: UInt32?) -> Int? {
        guard let room else { return lengthOfCString() }
        let text = prefix(min(byteCount, Int(room)))
        return text.lengthOfCString() ?? text.byteCount
    }
}
