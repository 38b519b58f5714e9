internal import BinaryPrimitives
internal import ObjectFiles

/// Collects all functions of one unit, with the calls that were inlined into them.
struct FunctionCollector: SubroutineSink {
    private let unit: Unit
    private let units: UnitTable
    private let readsNames: Bool
    private(set) var result: UnitFunctions
    /// The first reason why what a subroutine covers could not be read.
    private(set) var problem: DWARFError?

    /// The subroutines around the entry that is being read. A subprogram without code has no
    /// function; what is inlined into it has no code either.
    var open = OpenEntries<(function: Int?, call: Int?)>()
    /// For each call the function that it was inlined into.
    private var owners: [Int] = []
    private let keys: NameKeys?
    private var search: NameKeySearch?
    private let names = EntryNames()
    /// Names by the entries that calls and functions refer to. Most inlined calls of a unit are of
    /// few functions.
    private var known: [UInt64: Int?] = [:]
    /// Name numbers of the unit's latest entries, plus 1; 0 for an entry without a name.
    private lazy var recent = OriginKeys()
    /// Bytes of all names so far.
    private var nameBytes = 0

    /// - Parameter keys: those of the unit's sections; `nil`: names are read as texts.
    init(_ unit: Unit, _ units: UnitTable, readsNames: Bool, _ keys: NameKeys?, _ result: UnitFunctions) {
        self.unit = unit
        self.units = units
        self.readsNames = readsNames
        self.keys = keys
        search = keys.map { NameKeySearch($0, units) }
        self.result = result
    }

    /// - Parameter bytes: the unit, from its header to its end.
    mutating func run(_ bytes: RawSpan) throws(DWARFError) {
        var walk = SubroutineWalk()
        defer { order() }
        do throws(ReadError) { try walk.run(unit, bytes, &self) } catch {
            throw DWARFError(.info, endingAt: unit.header.offset + bytes.byteCount, error)
        }
    }

    mutating func noteDamage(_ damage: DWARFError) { problem = problem ?? damage }

    /// A call without code may have calls with code in it.
    mutating func appendAbstract(_ entry: SubroutineLocation, _ plans: inout SubroutinePlans, _ bytes: RawSpan) throws(ReadError) {
        guard entry.isInlined else { return open.append((nil, nil), depth: entry.depth) }
        var end = entry.attributes
        append(try plans.entry(entry.code, at: &end, bytes, unit), entry, [], bytes)
    }

    mutating func append(_ subroutine: SubroutineEntry, _ entry: SubroutineLocation, _ ranges: [AddressRange], _ bytes: RawSpan) {
        let indices = result.ranges.count..<result.ranges.count + ranges.count
        if !entry.isInlined {
            for range in ranges { result.ranges.append(range.start..<range.end) }
            open.append((result.functions.count, nil), depth: entry.depth)
            let name = indices.isEmpty ? nil : name(of: subroutine, at: entry.position, bytes)
            result.functions.append(UnitFunctions.Function(name: name, ranges: indices, calls: 0..<0))
            return
        }
        guard readsNames, let function = open.last?.function, open.count <= Limits.standard.inlineDepth else {
            if readsNames, open.last?.function != nil {
                problem = problem ?? DWARFError(nestedTooDeeply: unit.header.offset + entry.position)
            }
            return open.append((open.last?.function, open.last?.call), depth: entry.depth)
        }
        for range in ranges { result.ranges.append(range.start..<range.end) }
        let call = UnitFunctions.Call(
            name: name(of: subroutine, at: entry.position, bytes), parent: open.last?.call, ranges: indices,
            file: subroutine.callFile.flatMap { Int(exactly: $0) }, line: Int(clamping: subroutine.callLine),
            column: Int(clamping: subroutine.callColumn), position: entry.position)
        open.append((function, result.calls.count), depth: entry.depth)
        result.calls.append(call)
        owners.append(function)
    }

    private mutating func name(of entry: SubroutineEntry, at position: Int, _ bytes: RawSpan) -> Int? {
        guard readsNames else { return nil }
        guard !entry.needsSearch, let origin = entry.origin else { return find(at: position, bytes) }
        guard case .unitReference(let distance) = origin, let offset = UInt32(exactly: distance) else {
            return name(ofOrigin: origin, at: position, bytes)
        }
        if let kept = recent.key(of: offset) { return kept == 0 ? nil : Int(kept) - 1 }
        let name = name(ofOrigin: origin, at: position, bytes)
        recent.keep(name.map { UInt32(clamping: $0 + 1) } ?? 0, of: offset)
        return name
    }

    /// - Parameter position: of the entry that refers to the origin and has no name of its own.
    private mutating func name(ofOrigin origin: AttributeValue, at position: Int, _ bytes: RawSpan) -> Int? {
        guard let key = key(origin) else { return find(at: position, bytes) }
        if let name = known[key] { return name }
        let name = find(at: position, bytes)
        known[key] = .some(name)
        return name
    }

    /// Searches the name of an entry, and adds it to those of the unit.
    private mutating func find(at position: Int, _ bytes: RawSpan) -> Int? {
        guard var name = read(at: position, bytes) else { return nil }
        if case .key(let key) = name, let keys, keys.isInEntries(key) {
            var text: String?
            keys.withEntryText(key, unit, bytes) { text = $0.prefix(Limits.standard.nameLength).string() }
            guard let text else { return nil }
            name = .text(text)
        }
        if case .text(let text) = name {
            nameBytes += text.utf8.count
            guard nameBytes <= unit.sections.limits.writtenNames else {
                // Many names of a small file may be one long string's ends.
                problem =
                    problem
                    ?? DWARFError(
                        .info, at: unit.header.offset,
                        "the unit's names take more than \(unit.sections.limits.writtenNames) bytes: the rest is left out")
                return nil
            }
        }
        result.names.append(name)
        return result.names.count - 1
    }

    private mutating func read(at position: Int, _ bytes: RawSpan) -> UnitFunctions.Name? {
        guard let key = search?.key(at: position, of: unit, bytes) else {
            return names.details(at: position, of: unit, bytes, units).name.map { .text($0) }
        }
        return key == NameKeys.none ? nil : .key(key)
    }

    /// One number for each entry that may be referred to; `nil` for a signature, and where there is
    /// no reference.
    private func key(_ reference: AttributeValue?) -> UInt64? {
        switch reference {
        case .unitReference(let distance): UInt64(unit.header.offset) &+ distance
        case .infoReference(let offset): offset
        case .supplementaryReference(let offset): offset | 1 << 63
        default: nil
        }
    }

    /// Puts each function's calls together: a function inside of another comes between the other's
    /// calls.
    private mutating func order() {
        let isOrdered = zip(owners, owners.dropFirst()).allSatisfy { $0 <= $1 }
        let order = isOrdered ? Array(owners.indices) : owners.indices.sorted { (owners[$0], $0) < (owners[$1], $1) }
        var moved = [Int](repeating: 0, count: order.count)
        for (new, old) in order.enumerated() { moved[old] = new }
        if !isOrdered {
            let calls = result.calls
            for (new, old) in order.enumerated() {
                result.calls[new] = calls[old]
                result.calls[new].parent = calls[old].parent.map { moved[$0] }
            }
        }
        var next = 0
        for index in result.functions.indices {
            let first = next
            while next < order.count, owners[order[next]] == index { next += 1 }
            result.functions[index].calls = first..<next
        }
    }
}
