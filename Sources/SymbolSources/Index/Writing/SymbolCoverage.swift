internal import BinaryPrimitives
internal import CallFrames
internal import ObjectFiles

/// Result of the symbol table for every address of a file: for all addresses at once what `SymbolTableLookup`
/// finds for some, by the same rules.
struct SymbolCoverage: Sendable {
    /// Ascending; each reaches to the next one's start, the last to the end of all addresses.
    private(set) var starts: [UInt64] = [0]
    /// For each start an index into `symbols`, or into `stubs` after those, or, negative, -1 less the number of
    /// a `SymbolIndexLayout.Reason`.
    private(set) var results: [Int32] = [-1]
    /// The symbols that name addresses, ascending.
    private(set) var symbols: [Named] = []
    /// Names from the dynamic linker's tables (`ObjectFile.stub(containing:)`) where no symbol has one,
    /// ascending.
    private(set) var stubs: [LinkedName] = []
    /// End of the symbols' string table in the file.
    private(set) var namesEnd: UInt64 = 0

    struct Named: Sendable {
        var address: UInt64
        /// Bytes; zero where the table does not give it.
        var size: UInt64
        /// Position of its name in the file, and the bytes from there in which it ends.
        var position: UInt64
        var nameRoom: UInt32
        var section: Int32
        /// Index in the symbol table.
        var number: Int32
        var preference: SymbolPreference
        var isFunction: Bool
        var isWeak: Bool
    }

    /// - Parameter functions: the ranges of the file's functions, which another thread may have read meanwhile.
    /// - Throws: `ObjectFileError` if the table is damaged.
    init(_ object: ObjectFile, _ functions: LazyValue<[Range<LinkAddress>]>) throws(ObjectFileError) {
        var symbols: [Named] = []
        let table = object.description.sections.first { $0.name == ".symtab" }
        symbols.reserveCapacity(min((table?.fileRange.count ?? 0) / Self.entrySize, Self.maxReserved))
        var end: UInt64 = 0
        let hasUnderscores = object.description.namesHaveUnderscores
        try object.file.withBytes { bytes throws(ObjectFileError) in
            try object.forEachSymbol { symbol in
                if symbol.kind != .file, !symbol.isLabel(in: bytes) {
                    end = max(end, symbol.name.tableEnd.value)
                    symbols.append(
                        Named(
                            address: symbol.address.value, size: symbol.size, position: symbol.name.position.value,
                            nameRoom: UInt32(clamping: Int64(bitPattern: symbol.name.tableEnd.value &- symbol.name.position.value)),
                            section: Int32(truncatingIfNeeded: symbol.section), number: Int32(truncatingIfNeeded: symbols.count),
                            preference: SymbolPreference(symbol, in: bytes, hasUnderscores: hasUnderscores),
                            isFunction: symbol.kind == .function && !symbol.isIndirect,
                            isWeak: symbol.binding == .weak))
                }
                return true
            }
        }
        // Each page of the symbol table and of its names was read.
        object.file.releasePages()
        symbols.sort { ($0.address, $0.preference, $0.number) < ($1.address, $1.preference, $1.number) }
        self.symbols = symbols
        namesEnd = end
        cover(object, functions)
        addStubs(of: object)
    }

    /// The ranges of a file's functions by its unwind tables, for `init`.
    static func functionRanges(of object: ObjectFile) -> LazyValue<[Range<LinkAddress>]> {
        LazyValue { object.functionRanges?.allRanges() ?? [] }
    }

    /// Bytes of a symbol in ELF's table, at least, and the maximum number of symbols whose memory is reserved.
    private static let entrySize = 16
    private static let maxReserved = 1 << 20

    private mutating func addStubs(of object: ObjectFile) {
        stubs = object.stubRanges.compactMap { object.stub(containing: LinkAddress($0.lowerBound)) }
        guard !stubs.isEmpty else { return }
        let before = (starts: starts, results: results)
        (starts, results) = ([], [])
        starts.reserveCapacity(before.starts.count + 2 * stubs.count)
        results.reserveCapacity(before.starts.count + 2 * stubs.count)
        var next = 0
        for (index, start) in before.starts.enumerated() {
            let end = index + 1 < before.starts.count ? before.starts[index + 1] : .max
            let result = before.results[index]
            add(start, result)
            // As `LinkedNames.name(at:inPlaceOf:)`.
            guard result < 0 || symbols[Int(result)].size == 0 else { continue }
            var position = start
            while next < stubs.count, stubs[next].address.value < end {
                if result >= 0, stubs[next].address.value <= symbols[Int(result)].address {
                    next += 1
                    continue
                }
                let low = max(stubs[next].address.value, position)
                let high = min(stubs[next].address.value &+ stubs[next].size, end)
                if low < high {
                    add(low, Int32(symbols.count + next))
                    add(high, result)
                    position = high
                }
                // The stub may continue after a symbol.
                if stubs[next].address.value &+ stubs[next].size > end { break }
                next += 1
            }
        }
    }

    /// Goes through the addresses at which a result may change.
    private mutating func cover(_ object: ObjectFile, _ functions: LazyValue<[Range<LinkAddress>]>) {
        var extents = FunctionExtents(object)
        let isFull = object.hasFullSymbolTable
        let bounds = Self.bounds(symbols, object, functions)
        starts.reserveCapacity(bounds.count)
        results.reserveCapacity(bounds.count)
        var next = 0
        /// Stack of the symbols with sizes that began before the address, in the order of their starts.
        var open: [Int32] = []
        for bound in bounds {
            while next < symbols.count, symbols[next].address <= bound {
                if symbols[next].size > 0 { open.append(Int32(next)) }
                next += 1
            }
            while let top = open.last, bound - symbols[Int(top)].address >= symbols[Int(top)].size { open.removeLast() }
            add(bound, result(bound, nearest: next - 1, covering: open.last, object, &extents, isFull))
        }
    }

    private func result(
        _ address: UInt64, nearest: Int, covering: Int32?, _ object: ObjectFile, _ extents: inout FunctionExtents, _ isFull: Bool
    ) -> Int32 {
        func reason(_ reason: SymbolIndexLayout.Reason) -> Int32 {
            -1 - Int32((object.description.sectionsAreSegments ? .noSectionHeaders : reason).rawValue)
        }
        guard nearest >= 0 else { return reason(.noSymbol) }
        let symbol = symbols[nearest]
        if symbol.size > 0 {
            if address - symbol.address < symbol.size { return Int32(nearest) }
            return covering ?? reason(.betweenSymbols)
        }
        if let covering { return covering }
        if let extent = extents.extent(containing: LinkAddress(address)) {
            return extent.contains(LinkAddress(symbol.address)) ? Int32(nearest) : reason(.betweenSymbols)
        }
        guard let section = object.section(containing: LinkAddress(address)), section.number == Int(symbol.section) else {
            return reason(.betweenSymbols)
        }
        if isFull || symbol.address == address { return Int32(nearest) }
        guard let hasOther = extents.hasFunction(from: LinkAddress(symbol.address), through: LinkAddress(address)) else {
            return reason(.unboundedSymbol)
        }
        return hasOther ? reason(.betweenSymbols) : Int32(nearest)
    }

    /// The functions that begin where a symbol does and have its size, the preferred first. They
    /// are next to one another in `symbols`.
    func functions(besideSymbol index: Int) -> [Named] {
        func isBeside(_ other: Named) -> Bool { other.address == symbols[index].address && other.size == symbols[index].size }
        var first = index
        while first > 0, isBeside(symbols[first - 1]) { first -= 1 }
        var last = index
        while last + 1 < symbols.count, isBeside(symbols[last + 1]) { last += 1 }
        return first == last ? [] : symbols[first...last].reversed().filter(\.isFunction)
    }

    /// The name of a symbol as reports show it before demangling.
    func name(of symbol: Named, in object: ObjectFile) -> String {
        object.sourceName(
            SymbolName(
                position: FileOffset(symbol.position), tableEnd: FileOffset(symbol.position &+ UInt64(symbol.nameRoom))
            ).text(in: object))
    }

    private mutating func add(_ start: UInt64, _ result: Int32) {
        guard results.last != result else { return }
        if starts.last == start {
            results[results.count - 1] = result
        } else {
            starts.append(start)
            results.append(result)
        }
    }

    /// Starts and ends of symbols. If any symbol has no size, also the bounds of sections and other bounds of
    /// functions.
    private static func bounds(_ symbols: [Named], _ object: ObjectFile, _ functions: LazyValue<[Range<LinkAddress>]>) -> [UInt64] {
        // All but the symbols' starts.
        var others: [UInt64] = []
        others.reserveCapacity(symbols.count)
        var hasUnsized = false
        for symbol in symbols {
            let (end, overflow) = symbol.address.addingReportingOverflow(symbol.size)
            if symbol.size == 0 { hasUnsized = true } else if !overflow { others.append(end) }
        }
        if hasUnsized {
            // The first byte of a symbol without a size belongs to it, whatever follows.
            if !object.hasFullSymbolTable {
                for symbol in symbols where symbol.size == 0 && symbol.address < .max { others.append(symbol.address + 1) }
            }
            for section in object.description.sections where section.isLoaded {
                others.append(section.address.value)
                if let end = section.address.advanced(by: section.size) { others.append(end.value) }
            }
            let starts = object.description.functionStarts
            if starts.isEmpty {
                for range in functions.get() {
                    others.append(range.lowerBound.value)
                    others.append(range.upperBound.value)
                }
            } else {
                others += starts.map(\.value)
            }
        }
        // Symbols' ends are nearly as sorted as their starts.
        others.sort()
        var result: [UInt64] = []
        result.reserveCapacity(symbols.count + others.count)
        var (symbol, other) = (0, 0)
        while symbol < symbols.count || other < others.count {
            let next: UInt64
            if other == others.count || (symbol < symbols.count && symbols[symbol].address <= others[other]) {
                next = symbols[symbol].address
                symbol += 1
            } else {
                next = others[other]
                other += 1
            }
            if result.last != next { result.append(next) }
        }
        return result
    }
}
