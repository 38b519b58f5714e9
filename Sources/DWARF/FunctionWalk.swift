internal import BinaryPrimitives
internal import ObjectFiles

/// Reads all subroutines of one unit, every entry of it.
struct FunctionWalk {
    private let unit: Unit
    private let units: UnitTable
    private let readsNames: Bool
    private(set) var result: UnitFunctions
    /// The first reason why what a subroutine covers could not be read.
    private(set) var problem: DWARFError?

    /// The subroutines around the entry that is being read. A subprogram without code has no function; what is inlined into it has no code either.
    private var open: [(depth: Int, function: Int?, call: Int?)] = []
    /// For each call the function that it was inlined into.
    private var owners: [Int] = []
    private var collected: CollectedRanges
    private let names = EntryNames()
    /// Names by the entries that calls and functions refer to. Most inlined calls of a unit are of few functions.
    private var known: [UInt64: Int?] = [:]

    init(_ unit: Unit, _ units: UnitTable, readsNames: Bool, _ result: UnitFunctions) {
        self.unit = unit
        self.units = units
        self.readsNames = readsNames
        self.result = result
        collected = unit.collectedRanges()
    }

    /// - Parameter bytes: the unit, from its header to its end.
    mutating func run(_ bytes: RawSpan) throws(DWARFError) {
        do throws(ReadError) { try walk(bytes) } catch {
            order()
            throw DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
        order()
    }

    private mutating func walk(_ bytes: RawSpan) throws(ReadError) {
        let table = unit.abbreviations
        let total = bytes.byteCount
        var depth = 0
        var cursor = try bytes.from(UInt64(unit.header.firstEntry - unit.header.offset))
        while cursor.byteCount > 0 {
            let position = total &- cursor.byteCount
            let code = try cursor.takeULEB128()
            guard code != 0 else {
                depth &-= 1
                if depth <= 0 { break }
                // The children that end here may have been those of a subroutine.
                if let last = open.last, last.depth >= depth { open.removeLast() }
                continue
            }
            guard let abbreviation = table.abbreviation(code) else { throw ReadError(.numberTooLarge, bytesLeft: cursor.byteCount) }
            switch abbreviation.role {
            case .subroutine, .abstractSubroutine: try take(abbreviation, position, depth, &cursor, bytes)
            case .type, .other: try table.skipAttributes(of: abbreviation, &cursor, unit.sizes)
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

    /// What an entry says that is kept.
    private struct Entry {
        var low: AttributeValue?
        var high: AttributeValue?
        var list: AttributeValue?
        /// `DW_AT_abstract_origin` or `DW_AT_specification`.
        var origin: AttributeValue?
        var hasOwnName = false
        var callFile: UInt64?
        var callLine: UInt64?
        var callColumn: UInt64?
    }

    private mutating func take(
        _ abbreviation: Abbreviation, _ position: Int, _ depth: Int, _ cursor: inout RawSpan, _ bytes: RawSpan
    ) throws(ReadError) {
        var entry = Entry()
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            func value() throws(ReadError) -> AttributeValue {
                try cursor.takeValue(attribute.form, implicit: attribute.implicit, unit.sizes)
            }
            switch attribute.name {
            case Attribute.lowPC: entry.low = try value()
            case Attribute.highPC: entry.high = try value()
            case Attribute.ranges: entry.list = try value()
            case Attribute.abstractOrigin, Attribute.specification: entry.origin = try value()
            case Attribute.callFile: entry.callFile = try value().number
            case Attribute.callLine: entry.callLine = try value().number
            case Attribute.callColumn: entry.callColumn = try value().number
            case Attribute.name, Attribute.linkageName, Attribute.mipsLinkageName:
                entry.hasOwnName = true
                try cursor.skip(attribute.step, unit.sizes)
            default: try cursor.skip(attribute.step, unit.sizes)
            }
        }
        let isInlined = abbreviation.tag == Tag.inlinedSubroutine
        if abbreviation.role == .abstractSubroutine, !isInlined { return open.append((depth, nil, nil)) }
        collected.removeAll()
        do throws(DWARFError) {
            try unit.appendRanges(low: entry.low, high: entry.high, ranges: entry.list, to: &collected)
        } catch {
            problem = problem ?? error
        }
        let ranges = result.ranges.count..<result.ranges.count + collected.ranges.count
        if !isInlined {
            for range in collected.ranges { result.ranges.append(range.start..<range.end) }
            open.append((depth, result.functions.count, nil))
            let name = ranges.isEmpty ? nil : name(of: entry, at: position, bytes)
            result.functions.append(UnitFunctions.Function(name: name, ranges: ranges, calls: 0..<0))
            return
        }
        // Beyond the cap an answer is cut, too.
        guard readsNames, let function = open.last?.function, open.count <= Limits.standard.inlineDepth else {
            return open.append((depth, open.last?.function, open.last?.call))
        }
        for range in collected.ranges { result.ranges.append(range.start..<range.end) }
        let call = UnitFunctions.Call(
            name: name(of: entry, at: position, bytes), parent: open.last?.call, ranges: ranges,
            file: entry.callFile.flatMap { Int(exactly: $0) }, line: Int(clamping: entry.callLine ?? 0),
            column: Int(clamping: entry.callColumn ?? 0))
        open.append((depth, function, result.calls.count))
        result.calls.append(call)
        owners.append(function)
    }

    private mutating func name(of entry: Entry, at position: Int, _ bytes: RawSpan) -> Int? {
        guard readsNames else { return nil }
        let key = entry.hasOwnName ? nil : key(entry.origin)
        if let key, let name = known[key] { return name }
        let text = names.details(at: position, of: unit, bytes, units).name
        let name = text == nil ? nil : result.names.count
        if let text { result.names.append(text) }
        if let key { known[key] = .some(name) }
        return name
    }

    /// One number for each entry that may be referred to; `nil` for a signature, and where there is no reference.
    private func key(_ reference: AttributeValue?) -> UInt64? {
        switch reference {
        case .unitReference(let distance): UInt64(unit.header.offset) &+ distance
        case .infoReference(let offset): offset
        case .supplementaryReference(let offset): offset | 1 << 63
        default: nil
        }
    }

    /// Puts each function's calls together: a function inside of another stands between the other's calls.
    private mutating func order() {
        let isOrdered = zip(owners, owners.dropFirst()).allSatisfy { $0 <= $1 }
        let places = isOrdered ? Array(owners.indices) : owners.indices.sorted { (owners[$0], $0) < (owners[$1], $1) }
        var moved = [Int](repeating: 0, count: places.count)
        for (new, old) in places.enumerated() { moved[old] = new }
        if !isOrdered {
            let calls = result.calls
            for (new, old) in places.enumerated() {
                result.calls[new] = calls[old]
                result.calls[new].parent = calls[old].parent.map { moved[$0] }
            }
        }
        var next = 0
        for index in result.functions.indices {
            let first = next
            while next < places.count, owners[places[next]] == index { next += 1 }
            result.functions[index].calls = first..<next
        }
    }
}
