internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// The names of an index, and what its symbols name.
struct PlacedNames {
    private let object: ObjectFile
    private let shared: UnitBlocks.Shared
    private var keys: [UInt32] = []
    private var textOffsets: [UInt32] = []
    private var texts: [UInt8] = []
    private var symbolNames: [UInt32] = []
    private var symbolEntries: [(key: UInt32, entry: UInt64)] = []
    private var sharedCode: [(address: UInt64, key: UInt32)] = []

    init(_ object: ObjectFile, _ shared: UnitBlocks.Shared, _ parts: [MadeBlocks.Part]) throws(IndexRefusal) {
        self.object = object
        self.shared = shared
        var used = KeySet()
        nameSymbols(&used)
        listSharedCode(&used)
        for part in parts { for key in part.keys { used.insert(key) } }
        keys = used.sortedKeys
        try placeNames(parts.compactMap(\.texts))
    }

    private mutating func nameSymbols(_ keys: inout KeySet) {
        let coverage = shared.coverage
        symbolNames.reserveCapacity(coverage.starts.count)
        for (start, result) in zip(coverage.starts, coverage.results) {
            guard result >= 0 else {
                symbolNames.append(UInt32(-1 - result))
                continue
            }
            let stub = Int(result) - coverage.symbols.count
            let address = stub >= 0 ? coverage.stubs[stub].address.value : coverage.symbols[Int(result)].address
            let key = stub >= 0 ? shared.symbolKeys.key(ofStub: stub) : shared.symbolKeys.key(coverage.symbols[Int(result)])
            keys.insert(key)
            if address == start {
                symbolNames.append(key)
            } else {
                symbolNames.append(SymbolIndexLayout.entryFlag | UInt32(symbolEntries.count))
                symbolEntries.append((key, address))
            }
        }
    }

    /// Aliases share code with nobody: a table of C's functions has few that do.
    private mutating func listSharedCode(_ keys: inout KeySet) {
        let coverage = shared.coverage
        var index = 0
        while index < coverage.symbols.count {
            var next = index + 1
            while next < coverage.symbols.count, coverage.symbols[next].address == coverage.symbols[index].address { next += 1 }
            defer { index = next }
            guard next > index + 1 else { continue }
            // The size that the functions of the largest kind have: the last in the order.
            let functions = coverage.functions(besideSymbol: next - 1).prefix(SharedCode.maxFunctions)
            let names = functions.map { (name: coverage.name(of: $0, in: object), isWeak: $0.isWeak) }
            guard names.contains(where: { !SharedCode.others(than: $0.name, among: names).isEmpty }) else { continue }
            for (function, name) in zip(functions, names) where !SharedCode.isAlias(name.name, isWeak: name.isWeak) {
                let key = shared.symbolKeys.key(function)
                keys.insert(key)
                sharedCode.append((function.address, key))
            }
        }
    }

    /// Texts that are read before pages of the file are given back.
    private static let textsBetweenReleases = 4096

    /// Texts that several keys have are stored once: the symbol table's names are those of the
    /// debug information.
    private mutating func placeNames(_ kept: [EntryTexts]) throws(IndexRefusal) {
        textOffsets.reserveCapacity(keys.count)
        var table = IndexTextTable(expected: keys.count)
        let hasUnderscores = object.description.namesHaveUnderscores
        // Names that may have no zero byte after them have a maximum length.
        let rooms = object.description.namesMayFillRange ? shared.coverage.symbols.map { ($0.position, $0.nameRoom) } : []
        let nameRooms = Dictionary(rooms) { first, _ in first }
        // Symbols' names have the least keys.
        let symbolCount = keys.firstIndex { shared.symbolKeys.position($0) == nil } ?? keys.count
        try object.file.withBytes { (bytes: RawSpan) throws(IndexRefusal) in
            let names = bytes.clamped(to: 0..<Int(clamping: shared.coverage.namesEnd))
            for key in keys[..<symbolCount] {
                guard let position = shared.symbolKeys.position(key), let rest = try? names.from(position),
                    let length = rest.lengthOfCString(within: nameRooms[position]), length > 0
                else { throw IndexRefusal("the name of a symbol is missing") }
                // As `ObjectFile.sourceName`.
                let isMangled = hasUnderscores && length > 0 && rest.byte(at: 0) == UInt8(ascii: "_")
                textOffsets.append(table.offset(of: rest.clamped(to: (isMangled ? 1 : 0)..<length)))
                // They are read in the order of the string table.
                if textOffsets.count % Self.textsBetweenReleases == 0 { object.file.releasePages() }
            }
        }
        object.file.releasePages()
        let stubs = keys[symbolCount...].prefix { shared.symbolKeys.stub($0) != nil }
        for key in stubs {
            let name = shared.symbolKeys.stub(key).map { object.sourceName(shared.coverage.stubs[$0].name) } ?? ""
            textOffsets.append(table.offset(of: name))
        }
        shared.keys.forEachText(keys[stubs.endIndex...], kept) { text in
            textOffsets.append(table.offset(of: text))
            // Texts are scattered over the string sections.
            if textOffsets.count % Self.textsBetweenReleases == 0 { shared.keys.releasePages() }
        }
        guard textOffsets.count == keys.count else { throw IndexRefusal("a name cannot be read") }
        guard table.bytes.count < Int(UInt32.max) else { throw IndexRefusal("its names take more than 4 GB") }
        texts = table.bytes
    }

    /// Writes the tables from the symbols' starts to the names' texts.
    func write(_ tables: inout TableWriter, _ append: TableWriter.Append) throws(FileError) {
        try tables.write(.symbolStarts, append) { table throws(FileError) in
            for start in shared.coverage.starts { try table.add(start, append) }
        }
        try tables.write(.symbolNames, append) { table throws(FileError) in for name in symbolNames { try table.add(name, append) } }
        try tables.write(.symbolEntries, append) { table throws(FileError) in
            for (key, entry) in symbolEntries {
                try table.add(UInt64(key), append)
                try table.add(entry, append)
            }
        }
        try tables.write(.sharedCode, append) { table throws(FileError) in
            for (address, key) in sharedCode {
                try table.add(address, append)
                try table.add(UInt64(key), append)
            }
        }
        try tables.write(.nameKeys, append) { table throws(FileError) in for key in keys { try table.add(key, append) } }
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
