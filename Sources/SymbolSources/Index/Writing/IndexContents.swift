internal import BinaryPrimitives
internal import DWARF
internal import ObjectFiles

/// All tables of an index, ready to be written one after the other.
struct IndexContents {
    let object: ObjectFile
    let shared: UnitBlocks.Shared
    /// By task: the blocks.
    let files: [MappedFile?]
    let blocksSize: Int
    /// Of a unit's number in a block, in bits.
    let unitWidth: Int

    struct Block {
        var start: UInt64
        var position: Int
        var size: UInt32
        /// The number of the file that it is in.
        var file: Int32
    }

    /// By address.
    private(set) var blocks: [Block] = []
    private(set) var codeStart: UInt64 = 0
    private(set) var bucketShift = 0
    private(set) var bucketCount = 0
    private(set) var unitStarts: [UInt32] = [0]
    private(set) var unitFiles: [UInt8] = []
    private(set) var pathWidth = 0
    private(set) var pathPlaces: [UInt32] = [0]
    private(set) var pathTexts: [UInt8] = []
    private(set) var nameKeys: [UInt32] = []
    private(set) var namePlaces: [UInt32] = []
    private(set) var nameTexts: [UInt8] = []
    private(set) var symbolNames: [UInt32] = []
    private(set) var symbolEntries: [(key: UInt32, entry: UInt64)] = []
    private(set) var sharedCode: [(address: UInt64, key: UInt32)] = []

    init(object: ObjectFile, shared: UnitBlocks.Shared, blocks made: MadeBlocks, unitWidth: Int) throws(IndexRefusal) {
        self.object = object
        self.shared = shared
        files = made.parts.map(\.file)
        blocksSize = made.blocksSize
        self.unitWidth = unitWidth
        try placeBlocks(made)
        placePaths(made)
        var keys = KeySet()
        nameSymbols(&keys)
        listSharedCode(&keys)
        for part in made.parts { for key in part.keys { keys.insert(key) } }
        try placeNames(keys.keys.sorted(), made.parts.compactMap(\.texts))
    }

    private mutating func placeBlocks(_ made: MadeBlocks) throws(IndexRefusal) {
        blocks.reserveCapacity(made.units.reduce(0) { $0 + ($1?.blockCount ?? 0) })
        for unit in made.units {
            guard let unit else { continue }
            files[unit.task]?.withBytes { bytes in
                var position = unit.position
                for place in 0..<unit.blockCount {
                    let record = unit.position + unit.blocksSize + place * 12
                    blocks.append(
                        Block(
                            start: bytes.word64(at: record), position: position, size: bytes.word32(at: record + 8), file: Int32(unit.task))
                    )
                    position += Int(blocks[blocks.count - 1].size)
                }
            }
        }
        for file in files { file?.releasePages() }
        blocks.sort { $0.start < $1.start }
        guard let first = blocks.first, let last = blocks.last else { return }
        codeStart = first.start
        guard last.start - codeStart <= UInt64(UInt32.max), blocksSize <= Int(UInt32.max) else {
            throw IndexRefusal("its code spans more than 4 GB")
        }
        let span = last.start - codeStart
        while span >> UInt64(bucketShift) > UInt64(blocks.count) { bucketShift += 1 }
        bucketCount = Int(span >> UInt64(bucketShift)) + 1
    }

    /// Paths by their texts, so that the order does not depend on the task that found them.
    private mutating func placePaths(_ made: MadeBlocks) {
        var numbers: [String: UInt32] = [:]
        for path in Set(made.parts.map(\.paths).joined()).sorted() {
            numbers[path] = UInt32(numbers.count)
            pathTexts += Array(path.utf8)
            pathPlaces.append(UInt32(pathTexts.count))
        }
        pathWidth = BitFieldWriter.width(of: UInt64(max(1, numbers.count) - 1))
        let byTask = made.parts.map { $0.paths.map { numbers[$0] ?? 0 } }
        var writer = BitFieldWriter()
        var count: UInt32 = 0
        for unit in made.units {
            for file in unit?.files ?? [] { writer.append(UInt64(byTask[unit?.task ?? 0][Int(file)]), pathWidth) }
            count += UInt32(unit?.files.count ?? 0)
            unitStarts.append(count)
        }
        writer.align()
        unitFiles = writer.bytes
    }

    private mutating func nameSymbols(_ keys: inout KeySet) {
        let coverage = shared.coverage
        symbolNames.reserveCapacity(coverage.starts.count)
        for (start, answer) in zip(coverage.starts, coverage.answers) {
            guard answer >= 0 else {
                symbolNames.append(UInt32(-1 - answer))
                continue
            }
            let stub = Int(answer) - coverage.symbols.count
            let address = stub >= 0 ? coverage.stubs[stub].address.value : coverage.symbols[Int(answer)].address
            let key = stub >= 0 ? shared.symbolKeys.key(ofStub: stub) : shared.symbolKeys.key(coverage.symbols[Int(answer)])
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
            let functions = coverage.functions(besideSymbol: next - 1).prefix(SharedCode.mostFunctions)
            let names = functions.map { (name: coverage.name(of: $0, in: object), isWeak: $0.isWeak) }
            guard names.contains(where: { !SharedCode.others(than: $0.name, among: names).isEmpty }) else { continue }
            for (function, name) in zip(functions, names) where !SharedCode.isAlias(name.name, isWeak: name.isWeak) {
                let key = shared.symbolKeys.key(function)
                keys.insert(key)
                sharedCode.append((function.address, key))
            }
        }
    }

    /// Texts that several keys have are stored once: the symbol table's names are those of the
    /// debug information.
    private mutating func placeNames(_ keys: [UInt32], _ kept: [EntryTexts]) throws(IndexRefusal) {
        nameKeys = keys
        namePlaces.reserveCapacity(keys.count)
        var texts = TextTable(expected: keys.count)
        let isMachO = object.description.container == .machO
        // Symbols' names have the least keys.
        let symbolCount = keys.firstIndex { shared.symbolKeys.position($0) == nil } ?? keys.count
        object.file.withBytes { bytes in
            let table = bytes.clamped(to: 0..<Int(clamping: shared.coverage.namesEnd))
            for key in keys[..<symbolCount] {
                guard let position = shared.symbolKeys.position(key), var rest = try? table.from(position),
                    let text = try? rest.takeCString()
                else {
                    // Outside of the file, or without an end: the name is empty.
                    namePlaces.append(texts.place(of: ""))
                    continue
                }
                // As `ObjectFile.sourceName`.
                let isMangled = isMachO && text.byteCount > 0 && text.byte(at: 0) == UInt8(ascii: "_")
                namePlaces.append(texts.place(of: text.clamped(to: (isMangled ? 1 : 0)..<text.byteCount)))
            }
        }
        object.file.releasePages()
        let stubs = keys[symbolCount...].prefix { shared.symbolKeys.stub($0) != nil }
        for key in stubs {
            let name = shared.symbolKeys.stub(key).map { object.sourceName(shared.coverage.stubs[$0].name) } ?? ""
            namePlaces.append(texts.place(of: name))
        }
        shared.keys.forEachText(keys[stubs.endIndex...], kept) { text in
            namePlaces.append(texts.place(of: text))
            // Texts are scattered over the string sections.
            if namePlaces.count % 4096 == 0 { shared.keys.releasePages() }
        }
        guard namePlaces.count == keys.count else { throw IndexRefusal("a name cannot be read") }
        guard texts.bytes.count < Int(UInt32.max) else { throw IndexRefusal("its names take more than 4 GB") }
        nameTexts = texts.bytes
    }
}
