internal import BinaryPrimitives
internal import ObjectFiles

/// Which unit resolves each address: for all addresses at once what `UnitFinder` finds for some.
/// It reads the units once in their order, and lets `AddressClaims` decide by `ClaimRank`.
struct UnitOwnership {
    /// A unit that resolves addresses.
    struct Owner: Sendable {
        var header: UnitHeader
        /// Ascending, none over another, and none begins where another ends.
        var ranges: [Range<UInt64>]
    }

    private let table: UnitTable
    private let buffer = ReadBuffer()
    private var claims = AddressClaims()
    private var sets = AddressRangeSets()
    private var headers: [UnitHeader] = []
    private var collected: CollectedRanges
    /// The claims of the address table alone: for predictions.
    private var listed: [AddressClaims.Piece] = []
    private var listedByUnit: [Int: [Range<UInt64>]] = [:]
    /// Predicted claims of the units that have more code than the table says.
    private var claimed: [AddressClaims.Piece] = []

    /// - Parameter predicts: whether `pass` predicts what each unit resolves.
    init(_ table: UnitTable, predicts: Bool) {
        self.table = table
        collected = table.sections.collectedRanges()
        AddressRangeTable(table.sections).read(buffer, &sets)
        sets.sort()
        for (range, unit) in sets.ranges { claims.add(range, rank: ClaimRank.addressTable.order(of: unit), owner: unit) }
        guard predicts else { return }
        listed = claims.resolved()
        listedByUnit = listed.rangesByOwner
    }

    /// How many units resolve addresses, as far as the address table says; zero where nothing is
    /// predicted.
    var predictedCount: Int { listedByUnit.count }

    /// Goes over the units once, each with its root entry: a section that is inflated as it is read
    /// passes once.
    /// - Parameter body: gets the units in their order, each with the addresses that it resolves,
    ///   as far as they can be predicted before the later units are read: `owners` says what is
    ///   true.
    /// - Throws: `DWARFError` if data about what units cover cannot be read: an address may then
    ///   have a result that is missing here.
    mutating func pass(_ body: (Owner) -> Void = { _ in }) throws(DWARFError) {
        var offset: Int? = 0
        while let position = offset, position < table.size {
            let step = table.step(at: position)
            offset = step.next
            guard let header = step.header else { continue }
            headers.append(header)
            // Abbreviations and ranges are read through the mapping.
            if headers.count % 256 == 0 { table.sections.releasePages() }
            let isDescribed = sets.described.contains(header.offset)
            collected.removeAll()
            if header.coversCode { try claim(header, isDescribed: isDescribed) }
            guard predictedCount > 0 else { continue }
            let ranges = predicted(header.offset)
            if !ranges.isEmpty { body(Owner(header: header, ranges: ranges)) }
        }
    }

    /// The addresses that a unit resolves, as far as is known when it passes: those of the address table, and those of its own ranges that
    /// neither the table nor an earlier unit claims. (gcc's tables in libjvm,
    /// librados and an application with Qt have all code of their units, which is enough then.)
    private mutating func predicted(_ unit: Int) -> [Range<UInt64>] {
        let own = listedByUnit[unit] ?? []
        var parts = AddressClaims()
        for range in own { parts.add(range, rank: 0, owner: 1) }
        for range in collected.ranges {
            parts.add(range.start..<range.end, rank: 1, owner: 1)
            for piece in Self.pieces(of: listed, over: range) where piece.owner != unit { parts.add(piece.range, rank: 0, owner: 0) }
            for piece in Self.pieces(of: claimed, over: range) { parts.add(piece.range, rank: 0, owner: 0) }
        }
        let ranges = parts.resolved().rangesByOwner[1] ?? []
        guard ranges != own else { return own }
        // Few units have any.
        for range in ranges { claimed.append(AddressClaims.Piece(start: range.lowerBound, end: range.upperBound, owner: unit)) }
        claimed.sort { $0.start < $1.start }
        return ranges
    }

    /// - Parameter pieces: ascending, none over another.
    private static func pieces(
        of pieces: [AddressClaims.Piece], over range: AddressRange
    ) -> some Sequence<AddressClaims.Piece> {
        let low = pieces.partitionPoint { $0.end > range.start }
        return pieces[low...].prefix { $0.start < range.end }
    }

    private mutating func claim(_ header: UnitHeader, isDescribed: Bool) throws(DWARFError) {
        let unit = try table.unitHead(header)
        // Skeletons without code represent clang modules.
        if unit.root.splitName != nil, isDescribed || unit.hasRanges || unit.root.hasChildren {
            throw DWARFError(.info, at: header.offset, "the unit is split: its functions are in another file")
        }
        if unit.hasRanges {
            try unit.appendRanges(low: unit.root.lowPC, high: unit.root.highPC, ranges: unit.root.ranges, to: &collected)
            let rank = ClaimRank.root(isDescribed: isDescribed).order(of: header.offset)
            for range in collected.ranges { claims.add(range.start..<range.end, rank: rank, owner: header.offset) }
            if isDescribed { checkTable(header.offset) }
        } else if unit.root.hasChildren, !isDescribed {
            let extents = try table.withUnit(header, buffer) { (unit: Unit, bytes: RawSpan) throws(DWARFError) in
                try SubroutineExtents(unit, bytes).ranges
            }
            let rank = ClaimRank.functions.order(of: header.offset)
            for extent in extents { claims.add(extent.start..<extent.end, rank: rank, owner: header.offset) }
        }
    }

    /// Lets other units go before where the address table gives a unit addresses that its own ranges, in `collected`, do not have.
    private mutating func checkTable(_ unit: Int) {
        let listed = sets.ranges(of: unit)
        let ascending = collected.ranges.sorted { $0.start < $1.start }
        let isRight = listed.allSatisfy { range in
            let index = ascending.partitionPoint { $0.start > range.lowerBound }
            return index > 0 && ascending[index - 1].end >= range.upperBound
        }
        guard !isRight else { return }
        var own = AddressClaims()
        for range in collected.ranges { own.add(range.start..<range.end, rank: 0, owner: 1) }
        for range in listed { own.add(range, rank: 1, owner: 0) }
        let pieces = own.resolved()
        guard pieces.contains(where: { $0.owner == 0 }) else { return }
        claims.removeAll(rank: ClaimRank.addressTable.order(of: unit))
        for range in listed {
            for piece in pieces where piece.range.overlaps(range) {
                let rank = piece.owner == 1 ? ClaimRank.addressTable : .unclaimedFunctions
                claims.add(piece.range.clamped(to: range), rank: rank.order(of: unit), owner: unit)
            }
        }
    }

    /// After the pass: the units that resolve addresses, ascending by their offsets.
    /// - Throws: `DWARFError` as `pass` does.
    consuming func owners() throws(DWARFError) -> [Owner] {
        var units: [Int: UnitHeader] = [:]
        for header in headers { units[header.offset] = header }
        for (_, unit) in sets.ranges where units[unit] == nil {
            throw DWARFError(.aranges, at: 0, "it names a unit at 0x\(String(unit, radix: 16)), where none begins")
        }
        if let unclaimed = UnclaimedFunctions(table, buffer) {
            for (range, unit) in unclaimed.ranges(of: headers.filter(\.coversCode), where: { _ in true }) {
                claims.add(range, rank: ClaimRank.unclaimedFunctions.order(of: unit), owner: unit)
            }
        }
        var pieces = claims.resolved()
        let rows = rowsOutside(pieces)
        if let problem = table.problem { throw problem }
        if !rows.isEmpty {
            for (range, unit) in rows { claims.add(range, rank: ClaimRank.unclaimedRows.order(of: unit), owner: unit) }
            pieces = claims.resolved()
        }
        let ranges = pieces.rangesByOwner
        return headers.compactMap { header in ranges[header.offset].map { Owner(header: header, ranges: $0) } }
    }
}

extension UnitOwnership {
    /// Finds what only line tables cover of the symbol table's functions.
    /// - Parameter pieces: what units and functions cover.
    private func rowsOutside(_ pieces: [AddressClaims.Piece]) -> [(range: Range<UInt64>, unit: Int)] {
        guard let object = table.sections.object else { return [] }
        let rows = UnclaimedRows(table, buffer)
        guard rows.areSearched else { return [] }
        var functions: [UnclaimedRows.Function] = []
        object.file.withBytes { bytes in
            try? object.forEachSymbol { symbol in
                let isPlaced = !symbol.address.value.addingReportingOverflow(symbol.size).overflow
                guard symbol.kind == .function, symbol.size > 0, isPlaced else { return true }
                let index = pieces.partitionPoint { $0.end > symbol.address.value }
                let isCovered = index < pieces.count && pieces[index].start <= symbol.address.value
                if !isCovered, let function = rows.function(symbol, in: bytes) { functions.append(function) }
                return functions.count < Limits.standard.unclaimedSymbols
            }
        }
        // Names were read.
        object.file.releasePages()
        guard !functions.isEmpty else { return [] }
        return rows.ranges(in: functions, headers.filter(\.coversCode))
    }
}

extension AddressClaims.Piece {
    fileprivate var range: Range<UInt64> { start..<end }
}

extension [AddressClaims.Piece] {
    fileprivate var rangesByOwner: [Int: [Range<UInt64>]] {
        var ranges: [Int: [Range<UInt64>]] = [:]
        for piece in self { ranges[piece.owner, default: []].append(piece.start..<piece.end) }
        return ranges
    }
}

/// All of `.debug_aranges`. (`Aranges` keeps what covers some addresses.)
private struct AddressRangeSets: AddressRangeVisitor {
    private(set) var ranges: [(range: Range<UInt64>, unit: Int)] = []
    /// The sets: the unit of each, and the index of its first range. Ascending by unit after `sort`.
    private var sets: [(unit: Int, ranges: Range<Int>)] = []
    /// The units that have a set of their own.
    var described = DescribedUnits()

    mutating func sort() {
        described.sort()
        sets.sort { ($0.unit, $0.ranges.lowerBound) < ($1.unit, $1.ranges.lowerBound) }
    }

    func ranges(of unit: Int) -> [Range<UInt64>] {
        let first = sets.partitionPoint { $0.unit >= unit }
        return sets[first...].prefix { $0.unit == unit }.flatMap { ranges[$0.ranges].map(\.range) }
    }

    mutating func describe(unit: Int) {
        described.add(unit)
        sets.append((unit, ranges.count..<ranges.count))
    }

    mutating func claim(_ range: Range<UInt64>, unit: Int) {
        ranges.append((range, unit))
        if let last = sets.last { sets[sets.count - 1].ranges = last.ranges.lowerBound..<ranges.count }
    }
}
