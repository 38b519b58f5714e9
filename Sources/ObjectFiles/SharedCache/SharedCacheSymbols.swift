internal import BinaryPrimitives

/// The local symbols of a shared cache, which are kept apart from the images' own: `dyld_cache_local_symbols_info`, in the file
/// `.symbols` or, in caches that are older, in the main file. An image has a range of one table of all records (`nlist`), and all
/// images have one pool of names.
///
///     nlistOffset, nlistCount       32 bits each; offsets count from this structure
///     stringsOffset, stringsSize
///     entriesOffset, entriesCount   one for each image: where it begins, its first record, and the number of them
struct SharedCacheLocals: Sendable {
    private let file: MappedFile
    private let records: (start: Int, count: Int)
    private let strings: Range<Int>
    private let isWide: Bool
    /// Records of each image, by the offset or address at which it begins.
    private let entries: [UInt64: (first: Int, count: Int)]

    /// - Parameter start: of the file's first byte in the joined one.
    /// - Returns: `nil` where there are none, or they are not in the file.
    init?(_ header: SharedCacheHeader, _ file: MappedFile, from start: Int, _ limits: Limits) {
        guard header.localSymbols.size >= 24, header.localSymbols.offset < UInt64(file.size - start) else { return nil }
        let chunk = start + Int(header.localSymbols.offset)
        let size = Int(min(header.localSymbols.size, UInt64(file.size - chunk)))
        let bytes = file.bytes(in: chunk..<chunk + min(24, size))
        var fields = bytes.span.rawBytes
        var numbers: [Int] = []
        while let number = try? fields.read(UInt32.self, .littleEndian) { numbers.append(Int(number)) }
        guard numbers.count == 6, numbers[0] <= size, numbers[2] <= size, numbers[4] <= size, numbers[5] <= limits.sharedCacheImages else {
            return nil
        }
        self.file = file
        records = (chunk + numbers[0], numbers[1])
        strings = chunk + numbers[2]..<chunk + numbers[2] + min(numbers[3], size - numbers[2])
        isWide = header.hasWideLocalSymbols
        let width = isWide ? 8 : 4
        let list = file.bytes(in: chunk + numbers[4]..<chunk + min(size, numbers[4] + numbers[5] * (width + 8)))
        var rest = list.span.rawBytes
        var entries: [UInt64: (first: Int, count: Int)] = [:]
        while let offset = try? rest.readUnsigned(size: width, .littleEndian), let first = try? rest.read(UInt32.self, .littleEndian),
            let count = try? rest.read(UInt32.self, .littleEndian)
        {
            if entries[offset] == nil { entries[offset] = (Int(first), Int(count)) }
        }
        self.entries = entries
    }

    /// The local symbols of an image.
    /// - Parameters:
    ///   - address: of the image's first byte.
    ///   - base: of the cache's first byte. Where images were found by file offsets, their code was in the first mapping of one
    ///     file, so that file offsets and distances from the base are the same.
    ///   - own: the image's own table.
    /// - Returns: `nil` if it has none.
    func symbols(of address: UInt64, from base: UInt64, like own: MachOSymbolTable) -> MachOSymbolTable? {
        guard let layout = own.layout, address >= base, let entry = entries[address - base] else { return nil }
        let count = min(entry.count, max(0, records.count - entry.first))
        let start = records.start + min(entry.first, records.count) * layout.symbolSize
        guard count > 0, start + count * layout.symbolSize <= file.size else { return nil }
        var table = MachOSymbolTable()
        table.layout = layout
        table.records = start..<start + count * layout.symbolSize
        table.strings = strings
        return table
    }
}

/// The symbols of an image of a shared cache: its own, and its local ones, which are kept apart; without these, the methods of
/// Objective-C.
struct SharedCacheSymbols: SymbolReader {
    let own: MachOSymbolTable
    let locals: MachOSymbolTable?
    let methods: LazyValue<ObjCMethods>?
    /// The cache's bytes by address, with the methods' names.
    let memory: SharedCacheMemory
    /// UUIDs of the cache and of the image, and the version of the cache's files; `nil` where a UUID is missing.
    let identity: String?
    /// The symbols by address, where they were kept in an earlier run.
    var list: SharedCacheSymbolList?

    /// Whether the local symbols are there.
    var isFull: Bool { locals != nil }

    func forEachSymbol(in object: ObjectFile, around window: SymbolWindow, _ body: (Symbol) -> Bool) throws(ObjectFileError) {
        guard let list, let ranges = window.ranges else { return try forEachSymbol(in: object) { symbol, _ in body(symbol) } }
        list.forEachSymbol(in: object, around: ranges, names: (own, locals ?? own), body)
    }

    /// Gives each symbol to `body`, and whether it is one of those that are kept apart.
    func forEachSymbol(in object: ObjectFile, _ body: (_ symbol: Symbol, _ isApart: Bool) -> Bool) throws(ObjectFileError) {
        var isStopped = false
        // Without the image's own symbols a local one would name the functions after it.
        try ownSymbols(in: object).forEachSymbol(in: object, around: .everywhere) { symbol in
            isStopped = !body(symbol, false)
            return !isStopped
        }
        if !isStopped { try locals?.forEachSymbol(in: object, around: .everywhere) { symbol in body(symbol, true) } }
    }

    /// The image's own table, without local symbols that are all called `<redacted>`: half a million of a large image.
    private func ownSymbols(in object: ObjectFile) -> MachOSymbolTable {
        guard let numbers = own.locals, !numbers.isEmpty, let first = own.record(numbers.lowerBound, in: object),
            isRedacted(first, in: object)
        else {
            return own
        }
        var table = own
        if let externals = own.externals, let layout = own.layout, let records = own.records, numbers.upperBound <= externals.lowerBound,
            externals.upperBound <= records.count / layout.symbolSize, let last = own.record(numbers.upperBound - 1, in: object),
            isRedacted(last, in: object)
        {
            let start = records.lowerBound + externals.lowerBound * layout.symbolSize
            table.records = start..<start + externals.count * layout.symbolSize
        } else {
            table.redactedName = first.name
        }
        return table
    }

    /// Whether a symbol has lost its name.
    private func isRedacted(_ record: MachOSymbolRecord, in object: ObjectFile) -> Bool {
        // Neither debugging nor external.
        !record.isDebugging && record.type & 0x11 == 0 && own.name(at: record.name).text(in: object) == "<redacted>"
    }

    func stub(containing address: LinkAddress, in object: ObjectFile) -> LinkedName? { own.stub(containing: address, in: object) }
    func stubRanges(in object: ObjectFile) -> [Range<UInt64>] { own.stubRanges(in: object) }
    func exports(of object: ObjectFile) throws(ObjectFileError) -> [LinkedName] { try own.exports(of: object) }

    var namesMethods: Bool { methods != nil }
    func methodName(ofFunctionAt address: LinkAddress) -> String? {
        guard let methods else { return nil }
        return memory.name(of: list?.methods(ofFunctionAt: address.value) ?? methods.get().methods(ofFunctionAt: address.value))
    }
    func codeMarks(in object: ObjectFile) throws(ObjectFileError) -> [CodeMark] { try own.codeMarks(in: object) }
}
