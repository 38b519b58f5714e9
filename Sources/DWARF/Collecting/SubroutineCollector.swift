internal import BinaryPrimitives

/// A subprogram or inlined call with everything that a lookup reports about it.
package struct CollectedSubroutine: Sendable {
    /// Index of the collected subroutine around it. -1 for a function, and for a call whose function is unknown.
    package var parent: Int32
    package var isInlined: Bool
    /// A name's key.
    package var name: UInt32
    /// The first address; zero without code.
    package var start: UInt64
    /// File of an inlined call, by the line table's numbers; `nil` if the call's location is not given.
    package var callFile: UInt32?
    package var callLine: UInt32
    package var callColumn: UInt32
    /// Offset of its entry, in bytes from the unit's header.
    var position: Int
}

/// Collects the subroutines of a unit that have code at wanted addresses, and those around them.
struct SubroutineCollector: SubroutineSink {
    private let keys: NameKeys
    private(set) var subroutines: [CollectedSubroutine] = []
    /// Their code, in the order of the entries: for each range its start, its end and its subroutine.
    private(set) var starts: [UInt64] = []
    private(set) var ends: [UInt64] = []
    private(set) var owners: [Int32] = []

    /// An entry around the one that is read.
    struct Open {
        /// Bytes from the unit's header.
        var position: Int
        var isInlined: Bool
        var start: UInt64
        /// Index into `subroutines`; -1 as long as nothing in it is wanted.
        var subroutine: Int32
    }

    /// The unit that is read, and its sections.
    private struct Reading {
        let unit: Unit
        let units: UnitTable
    }

    var open = OpenEntries<Open>()
    private var walk = SubroutineWalk()
    private var reading: Reading?
    /// Ascending; ranges do not overlap.
    private var wanted: [Range<UInt64>] = []
    private var known = OriginKeys()
    /// Made once for the units of a file: to make one for each name would copy all that keys are
    /// found with.
    private var search: NameKeySearch?
    /// Why the unit cannot be collected, where that is not the unit's bytes.
    private var failure: DWARFError?
    /// The unit's calls, if they are wanted.
    private var calls: CallSiteReader?

    init(_ keys: NameKeys) { self.keys = keys }

    /// Collects a unit. What was collected of the last one is forgotten.
    /// - Parameters:
    ///   - bytes: the unit, from its header to its end.
    ///   - wanted: ascending; ranges do not overlap.
    ///   - readsCalls: whether the calls of all functions are wanted too.
    /// - Returns: the calls; `nil` if they are not wanted.
    mutating func run(
        _ unit: Unit, _ bytes: RawSpan, _ units: UnitTable, wanted: [Range<UInt64>], readsCalls: Bool
    ) throws(DWARFError) -> CallSiteEntries? {
        forget()
        open.removeAll()
        known.removeAll()
        failure = nil
        reading = Reading(unit: unit, units: units)
        self.wanted = wanted
        if search?.units !== units { search = NameKeySearch(keys, units) }
        calls = readsCalls ? CallSiteReader(unit, units, bytes) : nil
        // Out of `self` for as long as it gives its subroutines to `self`.
        var walk = SubroutineWalk()
        swap(&walk, &self.walk)
        defer { swap(&walk, &self.walk) }
        do throws(ReadError) { try walk.run(unit, bytes, &self) } catch {
            throw failure ?? DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
        return calls.take()?.entries(bytes)
    }

    mutating func appendCall(_ code: UInt64, at position: Int, _ bytes: RawSpan) { calls?.appendCall(code, at: position, bytes) }

    /// Forgets what was collected.
    mutating func forget() {
        subroutines.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
    }

    /// Changes the files of calls to those that are known better.
    mutating func correct(_ known: CallFiles) {
        for index in subroutines.indices {
            if let file = known.file(at: subroutines[index].position) { subroutines[index].callFile = UInt32(truncatingIfNeeded: file) }
        }
    }

    mutating func noteDamage(_ damage: DWARFError) throws(ReadError) {
        failure = damage
        throw ReadError(.noRoom, bytesLeft: 0)
    }

    mutating func appendAbstract(_ entry: SubroutineLocation, _ plans: inout SubroutinePlans, _ bytes: RawSpan) {
        open.append(Open(position: entry.position, isInlined: entry.isInlined, start: 0, subroutine: -1), depth: entry.depth)
    }

    /// Keeps a subroutine as far as it is wanted.
    mutating func append(
        _ subroutine: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan
    ) throws(ReadError) {
        if !entry.isInlined { calls?.appendFunction(subroutine, entry, ranges, bytes) }
        var opened = Open(position: entry.position, isInlined: entry.isInlined, start: ranges.first?.start ?? 0, subroutine: -1)
        if ranges.contains(where: { wanted.overlap($0.start..<$0.end) }), let reading {
            guard open.count <= Limits.standard.inlineDepth else {
                failure = DWARFError(nestedTooDeeply: reading.unit.header.offset + opened.position)
                throw ReadError(.noRoom, bytesLeft: 0)
            }
            let parent = try opened.isInlined ? enclosing(reading, bytes) : -1
            opened.subroutine = Int32(truncatingIfNeeded: subroutines.count)
            subroutines.append(try collected(subroutine, opened, parent, reading, bytes))
            for range in ranges {
                starts.append(range.start)
                ends.append(range.end)
                owners.append(opened.subroutine)
            }
        }
        open.append(opened, depth: entry.depth)
    }

    /// The subroutine around the entry that is read; -1 if there is none.
    private mutating func enclosing(_ reading: Reading, _ bytes: RawSpan) throws(ReadError) -> Int32 {
        guard let last = open.last else { return -1 }
        if last.subroutine >= 0 { return last.subroutine }
        // Nothing in those around it was wanted so far: from the outermost to the innermost, up to
        // the first that is not inlined.
        var first = open.count - 1
        while first > 0, open[first].isInlined, open[first - 1].subroutine < 0 { first -= 1 }
        for index in first..<open.count {
            let parent = open[index].isInlined && index > 0 ? open[index - 1].subroutine : -1
            var entry = SubroutineEntry()
            try entry.read(at: open[index].position, of: reading.unit, bytes)
            open[index].subroutine = Int32(truncatingIfNeeded: subroutines.count)
            subroutines.append(try collected(entry, open[index], parent, reading, bytes))
        }
        return open[open.count - 1].subroutine
    }

    private mutating func collected(
        _ entry: SubroutineEntry, _ open: Open, _ parent: Int32, _ reading: Reading, _ bytes: RawSpan
    ) throws(ReadError) -> CollectedSubroutine {
        let callFile = entry.callFile.flatMap { UInt32(exactly: $0) }
        // A file that a lookup would not name, and a location that does not fit.
        if entry.callFile != nil, callFile == nil || entry.callLine >> 24 != 0 || entry.callColumn >> 16 != 0 {
            throw ReadError(.noRoom, bytesLeft: 0)
        }
        return CollectedSubroutine(
            parent: parent, isInlined: open.isInlined, name: name(entry, at: open.position, reading, bytes),
            start: open.start, callFile: callFile, callLine: UInt32(truncatingIfNeeded: entry.callLine),
            callColumn: UInt32(truncatingIfNeeded: entry.callColumn), position: open.position)
    }

    private mutating func name(_ entry: SubroutineEntry, at position: Int, _ reading: Reading, _ bytes: RawSpan) -> UInt32 {
        guard !entry.needsSearch, case .unitReference(let distance)? = entry.origin, let offset = UInt32(exactly: distance) else {
            return search?.key(at: position, of: reading.unit, bytes) ?? NameKeys.none
        }
        if let key = known.key(of: offset) { return key }
        let key = Int(offset) < bytes.byteCount ? search?.key(at: Int(offset), of: reading.unit, bytes) ?? NameKeys.none : NameKeys.none
        known.keep(key, of: offset)
        return key
    }
}
