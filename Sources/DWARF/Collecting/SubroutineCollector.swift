internal import BinaryPrimitives

/// A subprogram or inlined call with all that a lookup tells of it.
package struct CollectedSubroutine: Sendable {
    /// Of the collected subroutines: the one around it. -1 for a function, and for a call whose function is unknown.
    package var parent: Int32
    package var isInlined: Bool
    /// A name's key.
    package var name: UInt32
    /// The first address; zero without code.
    package var start: UInt64
    /// Of an inlined call: where it is called, by the line table's numbers. No file: the call's place is not told.
    package var callFile: UInt32?
    package var callLine: UInt32
    package var callColumn: UInt32
}

/// Collects the subroutines of a unit that have code at wanted addresses, and those around them.
struct SubroutineCollector {
    private let keys: NameKeys?
    private(set) var subroutines: [CollectedSubroutine] = []
    /// Where they have code, in the order of the entries: for each range its start, its end and its subroutine.
    private(set) var starts: [UInt64] = []
    private(set) var ends: [UInt64] = []
    private(set) var owners: [Int32] = []

    /// An entry around the one that is read.
    private struct Open {
        var depth: Int
        /// Bytes from the unit's header.
        var position: Int
        var tag: UInt16
        var start: UInt64
        /// Of `subroutines`; -1 as long as nothing in it is wanted.
        var subroutine: Int32
    }

    private var open: [Open] = []
    private var plans = SubroutinePlans()
    /// Names' keys by the entries that calls refer to, in bytes from the unit's header.
    private var known: [UInt32: UInt32] = [:]

    /// - Parameter keys: `nil` where only ranges are wanted, of all subroutines.
    init(_ keys: NameKeys?) { self.keys = keys }

    /// Collects a unit. What was collected of the last one is forgotten.
    /// - Parameters:
    ///   - bytes: the unit, from its header to its end.
    ///   - wanted: ascending, none over another.
    mutating func run(_ unit: Unit, _ bytes: RawSpan, _ units: UnitTable, wanted: [Range<UInt64>]) throws(DWARFError) {
        subroutines.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        owners.removeAll(keepingCapacity: true)
        open.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
        plans.removeAll()
        var failure: DWARFError?
        do throws(ReadError) { try walk(unit, bytes, units, wanted, &failure) } catch {
            throw failure ?? DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
    }

    private mutating func walk(
        _ unit: Unit, _ bytes: RawSpan, _ units: UnitTable, _ wanted: [Range<UInt64>], _ failure: inout DWARFError?
    ) throws(ReadError) {
        let table = unit.abbreviations
        let sizes = unit.sizes
        let total = bytes.byteCount
        var collected = unit.collectedRanges()
        var depth = 0
        var cursor = try bytes.from(UInt64(unit.header.firstEntry - unit.header.offset))
        while cursor.byteCount > 0 {
            let position = total &- cursor.byteCount
            let code = try cursor.takeULEB128()
            guard code != 0 else {
                depth &-= 1
                if depth <= 0 { break }
                if let last = open.last, last.depth >= depth { open.removeLast() }
                continue
            }
            guard let abbreviation = table.abbreviation(code) else { throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount) }
            switch abbreviation.role {
            case .subroutine:
                try take(abbreviation, code, position, depth, &cursor, unit, bytes, units, wanted, &collected, &failure)
            case .abstractSubroutine:
                open.append(Open(depth: depth, position: position, tag: abbreviation.tag, start: 0, subroutine: -1))
                try table.skipAttributes(of: abbreviation, &cursor, sizes)
            case .type, .other:
                if PassedEntries.canBePassed(abbreviation, isInSubroutine: !open.isEmpty),
                    let sibling = try table.sibling(ofEntryWithAttributesAt: total &- cursor.byteCount, abbreviation, bytes, sizes)
                {
                    // Only forwards: a sibling behind would be read for ever.
                    guard sibling > position, sibling <= total else {
                        throw ReadError(.outOfBytes(needed: sibling), bytesLeft: cursor.byteCount)
                    }
                    cursor = try bytes.from(UInt64(sibling))
                    continue
                }
                try table.skipAttributes(of: abbreviation, &cursor, sizes)
            }
            if abbreviation.hasChildren {
                depth &+= 1
                guard depth < Limits.standard.entryDepth else { throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount) }
            } else {
                if let last = open.last, last.depth >= depth { open.removeLast() }
                if depth == 0 { break }
            }
        }
    }

    /// Reads an entry that has code.
    private mutating func take(
        _ abbreviation: Abbreviation, _ code: UInt64, _ position: Int, _ depth: Int, _ cursor: inout RawSpan, _ unit: Unit,
        _ bytes: RawSpan,
        _ units: UnitTable, _ wanted: [Range<UInt64>], _ collected: inout CollectedRanges, _ failure: inout DWARFError?
    ) throws(ReadError) {
        var low: AttributeValue?
        var high: AttributeValue?
        var list: AttributeValue?
        var entry = CallEntry()
        let sizes = unit.sizes
        var next = plans.first(of: abbreviation, code, unit.abbreviations)
        while true {
            let part = plans.parts[next]
            next &+= 1
            if part.bytesBefore > 0 { try cursor.skip(Int(part.bytesBefore)) }
            guard let attribute = part.attribute else { break }
            switch attribute.name {
            case Attribute.lowPC: low = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.highPC: high = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes)
            case Attribute.ranges: list = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes)
            default: try entry.take(attribute, &cursor, sizes)
            }
        }
        collected.removeAll()
        do throws(DWARFError) {
            try unit.appendRanges(low: low, high: high, ranges: list, to: &collected)
        } catch {
            failure = error
            throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount)
        }
        var opened = Open(
            depth: depth, position: position, tag: abbreviation.tag, start: collected.ranges.first?.start ?? 0, subroutine: -1)
        guard keys != nil else {
            for range in collected.ranges {
                starts.append(range.start)
                ends.append(range.end)
            }
            return open.append(opened)
        }
        if collected.ranges.contains(where: { Self.overlaps(wanted, $0.start..<$0.end) }) {
            guard open.count < Limits.standard.inlineDepth else {
                failure = DWARFError(.info, at: unit.header.offset + position, "calls are nested too deeply")
                throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount)
            }
            let parent = try opened.tag == Tag.inlinedSubroutine ? enclosing(unit, bytes, units) : -1
            opened.subroutine = Int32(truncatingIfNeeded: subroutines.count)
            subroutines.append(try subroutine(entry, opened, parent, unit, bytes, units))
            for range in collected.ranges {
                starts.append(range.start)
                ends.append(range.end)
                owners.append(opened.subroutine)
            }
        }
        open.append(opened)
    }

    private static func overlaps(_ wanted: [Range<UInt64>], _ range: Range<UInt64>) -> Bool {
        var low = 0
        var high = wanted.count
        while low < high {
            let middle = low &+ (high &- low) / 2
            if wanted[middle].upperBound <= range.lowerBound { low = middle &+ 1 } else { high = middle }
        }
        return low < wanted.count && wanted[low].lowerBound < range.upperBound
    }

    /// The subroutine around the entry that is read; -1 if there is none.
    private mutating func enclosing(_ unit: Unit, _ bytes: RawSpan, _ units: UnitTable) throws(ReadError) -> Int32 {
        guard let last = open.last else { return -1 }
        if last.subroutine >= 0 { return last.subroutine }
        // Nothing in those around it was wanted so far: from the outermost to the innermost, up to the first that is not inlined.
        var first = open.count - 1
        while first > 0, open[first].tag == Tag.inlinedSubroutine, open[first - 1].subroutine < 0 { first -= 1 }
        for index in first..<open.count {
            let isInlined = open[index].tag == Tag.inlinedSubroutine
            let parent = isInlined && index > 0 ? open[index - 1].subroutine : -1
            var entry = CallEntry()
            try entry.read(at: open[index].position, of: unit, bytes)
            open[index].subroutine = Int32(truncatingIfNeeded: subroutines.count)
            subroutines.append(try subroutine(entry, open[index], parent, unit, bytes, units))
        }
        return open[open.count - 1].subroutine
    }

    private mutating func subroutine(
        _ entry: CallEntry, _ open: Open, _ parent: Int32, _ unit: Unit, _ bytes: RawSpan, _ units: UnitTable
    ) throws(ReadError) -> CollectedSubroutine {
        let callFile = entry.callFile.flatMap { UInt32(exactly: $0) }
        // A file of which a lookup would say nothing, and a place that does not fit.
        if entry.callFile != nil, callFile == nil || entry.callLine >> 24 != 0 || entry.callColumn >> 16 != 0 {
            throw ReadError(.numberTooLarge, bytesLeft: 0)
        }
        return CollectedSubroutine(
            parent: parent, isInlined: open.tag == Tag.inlinedSubroutine, name: name(entry, at: open.position, unit, bytes, units),
            start: open.start, callFile: callFile, callLine: UInt32(truncatingIfNeeded: entry.callLine),
            callColumn: UInt32(truncatingIfNeeded: entry.callColumn))
    }

    private mutating func name(_ entry: CallEntry, at position: Int, _ unit: Unit, _ bytes: RawSpan, _ units: UnitTable) -> UInt32 {
        guard let keys else { return NameKeys.none }
        guard !entry.needsSearch, case .unitReference(let distance)? = entry.origin, let place = UInt32(exactly: distance) else {
            var search = NameKeySearch(keys, units)
            return search.key(at: position, of: unit, bytes)
        }
        if let key = known[place] { return key }
        var search = NameKeySearch(keys, units)
        let key = Int(place) < bytes.byteCount ? search.key(at: Int(place), of: unit, bytes) : NameKeys.none
        known[place] = key
        return key
    }
}

/// What an entry says beside its addresses.
private struct CallEntry {
    /// `DW_AT_abstract_origin` or `DW_AT_specification`.
    var origin: AttributeValue?
    /// It has a name of its own, or several origins.
    var needsSearch = false
    var callFile: UInt64?
    var callLine: UInt64 = 0
    var callColumn: UInt64 = 0

    @inline(__always)
    mutating func take(_ attribute: AttributeSpecification, _ cursor: inout RawSpan, _ sizes: FormSizes) throws(ReadError) {
        switch attribute.name {
        case Attribute.abstractOrigin, Attribute.specification:
            if origin != nil { needsSearch = true }
            origin = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes)
        case Attribute.callFile: callFile = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes).number
        case Attribute.callLine: callLine = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes).number ?? 0
        case Attribute.callColumn: callColumn = try cursor.takeValue(attribute.form, implicit: attribute.implicit, sizes).number ?? 0
        case Attribute.name, Attribute.linkageName, Attribute.mipsLinkageName:
            needsSearch = true
            try cursor.skip(attribute.step, sizes)
        default: try cursor.skip(attribute.step, sizes)
        }
    }

    mutating func read(at position: Int, of unit: Unit, _ bytes: RawSpan) throws(ReadError) {
        var cursor = try bytes.from(UInt64(position))
        let code = try cursor.takeULEB128()
        guard let abbreviation = unit.abbreviations.abbreviation(code) else {
            throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount)
        }
        for attribute in unit.abbreviations.attributes(of: abbreviation) { try take(attribute, &cursor, unit.sizes) }
    }
}
