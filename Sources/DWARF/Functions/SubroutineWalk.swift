internal import BinaryPrimitives

/// Receives the subroutines of a unit from a `SubroutineWalk`, in the order of their entries.
protocol SubroutineSink {
    /// Value that the sink keeps of each entry around the one that is read.
    associatedtype Enclosing
    var open: OpenEntries<Enclosing> { get set }

    /// Whether inlined calls are read.
    static var readsInlinedCalls: Bool { get }

    /// Receives a subroutine, which must be appended to `open`.
    /// - Parameters:
    ///   - ranges: its code, as far as it could be read.
    ///   - bytes: the unit, from its header to its end.
    mutating func append(_ subroutine: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan)
        throws(ReadError)

    /// Receives a subroutine whose entry has no attribute for code; it may have others in it, so that it must be appended to `open`.
    mutating func appendAbstract(_ entry: SubroutineLocation, _ plans: inout SubroutinePlans, _ bytes: RawSpan) throws(ReadError)

    /// Receives the entry of a call that is not inlined (`DW_TAG_call_site`, `DW_TAG_GNU_call_site`).
    /// - Parameter position: of its first attribute, in bytes from the unit's header.
    mutating func appendCall(_ code: UInt64, at position: Int, _ bytes: RawSpan)

    /// Receives why the ranges of the next subroutine cannot be read to their end.
    /// - Throws: where the sink keeps nothing of a damaged unit.
    mutating func noteDamage(_ damage: DWARFError) throws(ReadError)
}

extension SubroutineSink {
    static var readsInlinedCalls: Bool { true }
    @inline(__always) mutating func appendCall(_ code: UInt64, at position: Int, _ bytes: RawSpan) {}
}

/// Entry of a subprogram or an inlined call.
struct SubroutineLocation {
    /// Offset of the entry, in bytes from the unit's header.
    var position: Int
    /// Position of its first attribute.
    var attributes: Int
    var code: UInt64
    /// `DW_TAG_inlined_subroutine`.
    var isInlined: Bool
    /// How many entries are around it.
    var depth: Int
}

/// Reads all subroutines of units with their ranges: one pass over a unit's entries, for the index (`SubroutineCollector`), the enumeration
/// (`FunctionCollector`), the calls (`CallSiteReader`) and the extents of a unit that states none (`SubroutineExtents`).
///
/// A lookup reads only what may cover its addresses (`SubroutineFinder`).
struct SubroutineWalk {
    private var plans = SubroutinePlans()
    private var collected = CollectedRanges(sectionSize: 0)

    /// - Parameter bytes: the unit, from its header to its end.
    /// - Throws: `ReadError` where the entries are damaged; those before were given to the sink.
    mutating func run(_ unit: Unit, _ bytes: RawSpan, _ sink: inout some SubroutineSink) throws(ReadError) {
        plans.removeAll()
        collected = unit.collectedRanges()
        try unit.withRangeTables { (lists: RawSpan, addresses: RawSpan) throws(ReadError) in
            _ = try pass(EntryWalk(unit), unit, bytes, lists, addresses, &sink)
        }
    }

    /// Reads some functions and all entries inside of them. If one is damaged, the sink has the entries before the damage.
    /// - Parameters:
    ///   - positions: of the functions' entries, in bytes from the unit's header, ascending.
    ///   - bytes: the unit, from its header to its end.
    mutating func run(functionsAt positions: [Int], of unit: Unit, _ bytes: RawSpan, _ sink: inout some SubroutineSink) throws(ReadError) {
        plans.removeAll()
        collected = unit.collectedRanges()
        try unit.withRangeTables { (lists: RawSpan, addresses: RawSpan) throws(ReadError) in
            var last = 0
            // A nested function is read with the one around it.
            for position in positions where position > last {
                sink.open.close(at: 0)
                last = (try? pass(EntryWalk(unit, at: position), unit, bytes, lists, addresses, &sink)) ?? position
            }
        }
    }

    /// - Returns: where the last entry is, in bytes from the unit's header.
    private mutating func pass(
        _ start: EntryWalk, _ unit: Unit, _ bytes: RawSpan, _ lists: RawSpan, _ addresses: RawSpan, _ sink: inout some SubroutineSink
    ) throws(ReadError) -> Int {
        var walk = start
        while let shape = try walk.next(bytes) {
            sink.open.close(at: walk.depth)
            switch shape.role {
            case .subroutine where shape.isInlined && !type(of: sink).readsInlinedCalls: try walk.pass(shape, bytes)
            case .subroutine:
                let location = walk.location(shape)
                var end = walk.position
                let subroutine = try plans.entry(walk.code, at: &end, bytes, unit)
                try collectRanges(of: subroutine, unit, lists, addresses, &sink)
                try sink.append(subroutine, location, collected.ranges, bytes)
                try walk.read(upTo: end, shape, bytes)
            case .abstractSubroutine:
                try sink.appendAbstract(walk.location(shape), &plans, bytes)
                try walk.pass(shape, bytes)
            case .type, .other:
                if shape.holdsCalls { sink.appendCall(walk.code, at: walk.position, bytes) }
                let canBePassed = shape.passing == .always || (shape.passing == .outsideSubroutines && sink.open.count == 0)
                if canBePassed { try walk.jump(shape, bytes) } else { try walk.pass(shape, bytes) }
            }
        }
        return walk.entry
    }

    private mutating func collectRanges(
        of entry: SubroutineEntry, _ unit: Unit, _ lists: RawSpan, _ addresses: RawSpan, _ sink: inout some SubroutineSink
    ) throws(ReadError) {
        collected.removeAll()
        var damage: DWARFError?
        do throws(DWARFError) {
            try unit.appendRanges(low: entry.low, high: entry.high, ranges: entry.ranges, lists, addresses, to: &collected)
        } catch { damage = error }
        if let damage { try sink.noteDamage(damage) }
    }
}

extension EntryWalk {
    fileprivate func location(_ shape: EntryShape) -> SubroutineLocation {
        SubroutineLocation(position: entry, attributes: position, code: code, isInlined: shape.isInlined, depth: depth)
    }
}

/// Collects the ranges of all subroutines of a unit.
struct SubroutineExtents: SubroutineSink {
    var open = OpenEntries<Void>()
    private(set) var ranges: [AddressRange] = []
    private var damage: DWARFError?

    /// - Parameter bytes: the unit, from its header to its end.
    /// - Throws: `DWARFError` if an entry or a range list cannot be read.
    init(_ unit: Unit, _ bytes: RawSpan) throws(DWARFError) {
        var walk = SubroutineWalk()
        do throws(ReadError) { try walk.run(unit, bytes, &self) } catch {
            throw damage ?? DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
    }

    mutating func append(_ subroutine: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan) {
        self.ranges.append(contentsOf: ranges)
        open.append((), depth: entry.depth)
    }

    mutating func appendAbstract(_ entry: SubroutineLocation, _ plans: inout SubroutinePlans, _ bytes: RawSpan) {
        open.append((), depth: entry.depth)
    }

    mutating func noteDamage(_ damage: DWARFError) throws(ReadError) {
        self.damage = damage
        throw ReadError(.noRoom, bytesLeft: 0)
    }
}
