internal import BinaryPrimitives
internal import ObjectFiles

/// The keys of the names of an index's symbols, and of all its names, before these have a place. The symbols themselves are not needed any
/// more then: of a program with many, they take the most memory of all that is read.
struct PlacedSymbols {
    /// Ascending; each reaches to the next one's start.
    let starts: [UInt64]
    /// For each start the key of its name, a number in `entries` with `SymbolIndexLayout.entryFlag`, or the number of a reason.
    let names: [UInt32]
    /// The functions that names' parts belong to where they do not begin there.
    let entries: [(key: UInt32, entry: UInt64)]
    /// Functions that begin at one address.
    let sharedCode: [(address: UInt64, key: UInt32)]
    /// The keys of the names of symbols and blocks, ascending.
    let usedKeys: [UInt32]
    let keys: SymbolKeys
    let stubs: [LinkedName]
    /// End of the symbols' string table in the file.
    let namesEnd: UInt64
    /// By their positions, the bytes in which names end that may have no zero byte after them.
    let nameRooms: [UInt64: UInt32]

    /// - Parameter parts: the blocks.
    init(_ object: ObjectFile, _ coverage: SymbolCoverage, _ keys: SymbolKeys, _ parts: [MadeBlocks.Part]) {
        self.keys = keys
        (starts, stubs, namesEnd) = (coverage.starts, coverage.stubs, coverage.namesEnd)
        let rooms = object.description.namesMayFillRange ? coverage.symbols.map { ($0.position, $0.nameRoom) } : []
        nameRooms = Dictionary(rooms) { first, _ in first }
        var used = KeySet()
        for part in parts { for key in part.keys { used.insert(key) } }
        (names, entries) = Self.names(coverage, keys, &used)
        sharedCode = Self.sharedCode(object, coverage, keys, &used)
        usedKeys = used.sortedKeys
    }

    private static func names(
        _ coverage: SymbolCoverage, _ keys: SymbolKeys, _ used: inout KeySet
    ) -> ([UInt32], [(key: UInt32, entry: UInt64)]) {
        var names: [UInt32] = []
        var entries: [(key: UInt32, entry: UInt64)] = []
        names.reserveCapacity(coverage.starts.count)
        for (start, result) in zip(coverage.starts, coverage.results) {
            guard result >= 0 else {
                names.append(UInt32(-1 - result))
                continue
            }
            let stub = Int(result) - coverage.symbols.count
            let address = stub >= 0 ? coverage.stubs[stub].address.value : coverage.symbols[Int(result)].address
            let key = stub >= 0 ? keys.key(ofStub: stub) : keys.key(coverage.symbols[Int(result)])
            used.insert(key)
            if address == start {
                names.append(key)
            } else {
                names.append(SymbolIndexLayout.entryFlag | UInt32(entries.count))
                entries.append((key, address))
            }
        }
        return (names, entries)
    }

    /// Aliases share code with nobody: a table of C's functions has few that do.
    private static func sharedCode(
        _ object: ObjectFile, _ coverage: SymbolCoverage, _ keys: SymbolKeys, _ used: inout KeySet
    ) -> [(address: UInt64, key: UInt32)] {
        var found: [(address: UInt64, key: UInt32)] = []
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
                let key = keys.key(function)
                used.insert(key)
                found.append((function.address, key))
            }
        }
        return found
    }
}
