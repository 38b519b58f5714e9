internal import BinaryPrimitives
internal import ObjectFiles

/// A subprogram or inlined subroutine that covers an address.
struct Subroutine: Sendable {
    /// Offset of its entry, in bytes from the unit's header.
    var position: Int
    /// `DW_TAG_inlined_subroutine`.
    var isInlined: Bool
    /// The first address: of its first range, where it has several.
    var start: UInt64
}

/// Finds the subroutines of one unit that cover the wanted addresses: for each the innermost one,
/// and those that it was inlined into.
struct SubroutineFinder {
    let unit: Unit
    /// Ascending.
    let wanted: [UInt64]
    /// For each wanted address the subroutines that cover it, innermost first, up to the one that
    /// is not inlined. Empty: none, or more in one another than `Limits.inlineDepth`.
    private(set) var chains: [[Subroutine]]

    /// The first reason why what a subroutine covers could not be read: an address that is not
    /// found may be in it.
    private(set) var problem: DWARFError?

    /// The start of the range by which each chain's innermost subroutine covers its address.
    private var coveringStarts: [UInt64]

    /// Whether what covers the address is nested too deeply, or may be an inlined call whose addresses are not read, so that its row is of
    /// a function that is not known.
    func lacksFunction(_ index: Int) -> Bool { unknown.contains(index) }
    private var unknown: Set<Int> = []
    /// The subroutines around the entry that is being read.
    private var open = OpenEntries<Subroutine>()
    private var collected: CollectedRanges

    init(_ unit: Unit, wanted: [UInt64]) {
        self.unit = unit
        self.wanted = wanted
        chains = [[Subroutine]](repeating: [], count: wanted.count)
        coveringStarts = [UInt64](repeating: 0, count: wanted.count)
        collected = unit.collectedRanges()
    }

    /// Reads the unit's entries.
    ///
    /// gcc records for every entry with children where its next sibling is, so that a subprogram
    /// that covers nothing wanted, a type or a block is jumped over. That loses code inside of what
    /// was jumped over: nested functions, member functions of local classes. Only if an address
    /// stays unfound the unit is read once more, every entry of it.
    /// - Parameter bytes: the unit, from its header to its end.
    mutating func find(in bytes: RawSpan) throws(DWARFError) {
        do throws(ReadError) {
            try unit.withRangeTables { (lists: RawSpan, addresses: RawSpan) throws(ReadError) in
                try walk(bytes, lists, addresses, jumping: true)
                if chains.contains(where: \.isEmpty) { try walk(bytes, lists, addresses, jumping: false) }
            }
        } catch {
            throw DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
    }

    private mutating func walk(_ bytes: RawSpan, _ lists: RawSpan, _ addresses: RawSpan, jumping: Bool) throws(ReadError) {
        open.removeAll()
        var walk = EntryWalk(unit)
        while let shape = try walk.next(bytes) {
            open.close(at: walk.depth)
            var canPassOver = jumping && shape.hasChildren
            switch shape.role {
            case .subroutine:
                if try readSubroutine(walk.code, walk.entry, walk.position, walk.depth, bytes, lists, addresses) { canPassOver = false }
            case .abstractSubroutine:
                // An entry that is skipped with its children need not be among the open ones.
                if !canPassOver { open.append(Subroutine(position: walk.entry, isInlined: shape.isInlined, start: 0), depth: walk.depth) }
            case .type: break
            case .other: canPassOver = false
            }
            if !canPassOver {
                try walk.pass(shape, bytes)
            } else if shape.passing == .never {
                try walk.passAll(shape, bytes)
            } else {
                try walk.jump(shape, bytes)
            }
        }
    }

    /// Reads the address attributes of a subroutine's entry and notes the addresses that it covers.
    /// - Parameters:
    ///   - entry: where it is, in bytes from the unit's header.
    ///   - position: where its first attribute is.
    /// - Returns: whether it covers any.
    private mutating func readSubroutine(
        _ code: UInt64, _ entry: Int, _ position: Int, _ depth: Int, _ bytes: RawSpan, _ lists: RawSpan, _ addresses: RawSpan
    ) throws(ReadError) -> Bool {
        guard let abbreviation = unit.abbreviations.abbreviation(code) else { return false }
        let sizes = unit.sizes
        var subroutine = Subroutine(position: entry, isInlined: abbreviation.tag == Tag.inlinedSubroutine, start: 0)
        if let extent = abbreviation.extent {
            let low = try bytes.unsigned(size: sizes.addressSize, at: position &+ Int(extent.lowOffset), sizes.byteOrder)
            let size = try bytes.unsigned(size: Int(extent.highSize), at: position &+ Int(extent.highOffset), sizes.byteOrder)
            let (high, overflow) = low.addingReportingOverflow(size)
            let isEmpty = size == 0 || overflow || unit.isRemoved(low..<high)
            subroutine.start = isEmpty ? 0 : low
            open.append(subroutine, depth: depth)
            return isEmpty ? false : cover(low..<high)
        }
        try collectRanges(abbreviation, position, bytes, lists, addresses)
        subroutine.start = collected.ranges.first?.start ?? 0
        open.append(subroutine, depth: depth)
        var covers = false
        for index in collected.ranges.indices {
            let range = collected.ranges[index]
            if cover(range.start..<range.end) { covers = true }
        }
        return covers
    }

    /// Leaves the ranges of a subroutine in `collected`.
    private mutating func collectRanges(
        _ abbreviation: Abbreviation, _ position: Int, _ bytes: RawSpan, _ lists: RawSpan, _ addresses: RawSpan
    ) throws(ReadError) {
        var low: AttributeValue?
        var high: AttributeValue?
        var list: AttributeValue?
        let sizes = unit.sizes
        var cursor = try bytes.from(UInt64(position))
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            switch attribute.name {
            case Attribute.lowPC: low = try cursor.readAddress(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.highPC: high = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.ranges: list = try cursor.readValue(attribute.form, implicit: attribute.implicit, sizes)
            default: try cursor.skip(attribute.step, sizes)
            }
        }
        collected.removeAll()
        // A list that cannot be read to its end covers what came before; the rest of the unit still
        // gives results.
        do throws(DWARFError) {
            try unit.appendRanges(low: low, high: high, ranges: list, lists, addresses, to: &collected)
        } catch {
            problem = problem ?? error
            if case .other? = low, list == nil, let around = open.last?.position {
                for index in chains.indices where chains[index].first?.position == around { unknown.insert(index) }
            }
        }
    }

    /// Notes the wanted addresses in a range of the last subroutine of `open`.
    /// - Returns: whether there are any.
    private mutating func cover(_ range: Range<UInt64>) -> Bool {
        var index = wanted.firstIndex(notBelow: range.lowerBound)
        let first = index
        while index < wanted.count, wanted[index] < range.upperBound {
            // The innermost range is the one that begins nearest before the address, and the last of equal ones: an inlined call comes
            // after the function that it was inlined into.
            if range.lowerBound >= coveringStarts[index] {
                coveringStarts[index] = range.lowerBound
                chains[index] = enclosingChain()
                if chains[index].isEmpty { unknown.insert(index) } else if !unknown.isEmpty { unknown.remove(index) }
            }
            index += 1
        }
        return index > first
    }

    /// The subroutines around the current entry, innermost first, up to the first that is not
    /// inlined; none, with a problem, if the calls are nested too deeply.
    private mutating func enclosingChain() -> [Subroutine] {
        var chain: [Subroutine] = []
        for index in (0..<open.count).reversed() {
            let subroutine = open[index]
            chain.append(subroutine)
            if !subroutine.isInlined { break }
            if chain.count > Limits.standard.inlineDepth {
                // Part of them would be another result: that of a function that was inlined as
                // well.
                problem = problem ?? DWARFError(nestedTooDeeply: unit.header.offset + chain[0].position)
                return []
            }
        }
        return chain
    }
}
