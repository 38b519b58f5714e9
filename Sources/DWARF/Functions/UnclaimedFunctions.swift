internal import BinaryPrimitives
internal import ObjectFiles

/// Functions outside of their unit's own ranges: a `DW_AT_high_pc` that is too short, a range list
/// that misses some. They are looked for where no unit covers an address, and only in files with so
/// little debug information that reading all of it costs some milliseconds
/// (`Limits.unclaimedInformation`).
///
/// Entries that old linkers leave of removed code may claim any small address, so that a range counts only
/// where the symbol table has a function of some size at its beginning, and as far as that reaches.
struct UnclaimedFunctions {
    private let table: UnitTable
    private let buffer: ReadBuffer

    /// - Returns: `nil` where the file has too much debug information, or is not at hand.
    init?(_ table: UnitTable, _ buffer: ReadBuffer) {
        guard table.size <= table.sections.limits.unclaimedInformation, table.sections.object != nil else { return nil }
        self.table = table
        self.buffer = buffer
    }

    /// Those of some addresses that are in a function of the symbol table: no others can be found.
    /// Most that no unit covers are in code without debug information, and many in none of these.
    /// - Parameter addresses: ascending.
    func named(_ addresses: [UInt64]) -> [UInt64] {
        let functions = table.sections.object?.functionSymbols(around: addresses) ?? []
        return zip(addresses, functions).compactMap { address, function in function.map { _ in address } }
    }

    /// The functions' ranges of some units, in the units' order, as far as the symbols reach that
    /// begin them.
    /// - Parameter isWanted: whether a range is wanted.
    func ranges(of headers: [UnitHeader], where isWanted: (Range<UInt64>) -> Bool) -> [(range: Range<UInt64>, unit: Int)] {
        var found: [(range: Range<UInt64>, unit: Int)] = []
        for header in headers {
            // A unit that is damaged claims nothing.
            let extents = try? table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) -> [AddressRange] in
                unit.root.hasChildren && unit.root.splitName == nil ? try SubroutineExtents(unit, bytes).ranges : []
            }
            for extent in extents ?? [] where isWanted(extent.start..<extent.end) {
                found.append((extent.start..<extent.end, header.offset))
            }
        }
        let sizes = functionSizes(at: Set(found.map(\.range.lowerBound)))
        return found.compactMap { range, unit in
            sizes[range.lowerBound].map { (range.lowerBound..<range.lowerBound + min($0, range.upperBound - range.lowerBound), unit) }
        }
    }

    /// By the addresses at which the symbol table has a function: the bytes of the largest.
    private func functionSizes(at addresses: Set<UInt64>) -> [UInt64: UInt64] {
        guard let first = addresses.min(), let last = addresses.max(), let object = table.sections.object else { return [:] }
        var sizes: [UInt64: UInt64] = [:]
        try? object.forEachSymbol(around: SymbolWindow(first: LinkAddress(first), last: LinkAddress(last))) { symbol in
            if symbol.kind == .function, symbol.size > 0, addresses.contains(symbol.address.value) {
                sizes[symbol.address.value] = max(sizes[symbol.address.value] ?? 0, symbol.size)
            }
            return true
        }
        return sizes
    }
}

extension ObjectFile {
    /// Finds the functions of the symbol table around some addresses.
    /// - Parameters:
    ///   - addresses: ascending.
    ///   - isWanted: whether a function with one of the addresses counts.
    /// - Returns: for each address one of them; `nil` where none has a size that reaches it.
    func functionSymbols(around addresses: [UInt64], where isWanted: (Symbol) -> Bool = { _ in true }) -> [Symbol?] {
        var found = [Symbol?](repeating: nil, count: addresses.count)
        guard !addresses.isEmpty else { return found }
        try? forEachSymbol(around: SymbolWindow(SortedAddresses(addresses))) { symbol in
            let (end, overflow) = symbol.address.value.addingReportingOverflow(symbol.size)
            let index = addresses.firstIndex(notBelow: symbol.address.value)
            guard symbol.kind == .function, !overflow, index < addresses.count, addresses[index] < end else { return true }
            guard isWanted(symbol) else { return true }
            for index in addresses[index...].prefix(while: { $0 < end }).indices { found[index] = symbol }
            return true
        }
        return found
    }
}

extension Unit {
    /// Whether the root entry says which addresses the unit covers. .NET's NativeAOT writes an
    /// extent from 0 to 0, which says nothing (dotnet/runtime#83233).
    var hasRanges: Bool {
        guard root.ranges == nil, let low = root.lowPC, let high = root.highPC else { return root.hasRanges }
        if case .address(let end) = high, case .address(let start) = low { return start != end }
        return high.number != 0
    }
}
