internal import BinaryPrimitives

/// Attributes of a subroutine's entry beside its addresses.
struct SubroutineDetails: Sendable {
    /// The linkage name, else the plain name; `nil` if the entry and its origins have neither.
    var name: String?
    /// `DW_AT_call_file`, `DW_AT_call_line` and `DW_AT_call_column` of an inlined call; the file as
    /// an index into the unit's line table.
    var callFile: Int?
    var callLine: Int?
    var callColumn: Int?
}

/// Reads names of subroutines, through the chain of abstract origins and specifications, which may
/// lead into other units.
struct EntryNames {
    /// Reads the entry at `position` of a unit.
    /// - Parameters:
    ///   - position: bytes from the unit's header.
    ///   - bytes: the unit, from its header to its end.
    func details(
        at position: Int, of unit: Unit, _ bytes: RawSpan, _ units: UnitTable
    ) -> SubroutineDetails {
        var details = SubroutineDetails()
        var search = Search()
        read(at: position, of: unit, bytes, in: .info, units, &search) { name, value in
            switch name {
            case Attribute.callFile: details.callFile = value.number.flatMap { Int(exactly: $0) }
            case Attribute.callLine: details.callLine = value.number.flatMap { Int(exactly: $0) }
            case Attribute.callColumn: details.callColumn = value.number.flatMap { Int(exactly: $0) }
            default: break
            }
        }
        // A linkage name anywhere in the chain beats a nearer plain one: gcc gives it to the
        // declaration alone.
        while search.linkageName == nil, let next = search.removeNext() {
            follow(next, from: unit, bytes, &search, units)
        }
        details.name = search.linkageName ?? search.plainName
        return details
    }

    /// The names found so far and the entries still to be read.
    private struct Search {
        var linkageName: String?
        var plainName: String?
        private var pending: [EntryLocation] = []
        private var seen: Set<EntryLocation> = []

        mutating func add(_ location: EntryLocation) {
            if seen.count < Limits.standard.originChain, seen.insert(location).inserted { pending.append(location) }
        }

        mutating func removeNext() -> EntryLocation? { pending.popLast() }
    }

    private func follow(_ location: EntryLocation, from unit: Unit, _ bytes: RawSpan, _ search: inout Search, _ units: UnitTable) {
        if location.part == .info, (unit.header.offset..<unit.header.end).contains(location.offset) {
            return read(at: location.offset - unit.header.offset, of: unit, bytes, in: .info, units, &search) { _, _ in }
        }
        guard let table = location.part.table(of: units), let header = table.header(containing: location.offset) else { return }
        var found = search
        // An origin that cannot be read leaves the names that were found before it.
        try? table.withMappedUnit(header) { (other: Unit, otherBytes: RawSpan) throws(DWARFError) in
            read(at: location.offset - header.offset, of: other, otherBytes, in: location.part, units, &found) { _, _ in }
        }
        search = found
    }

    /// Reads one entry: its names and origins into `search`, every attribute to `other`.
    private func read(
        at position: Int, of unit: Unit, _ bytes: RawSpan, in part: EntryLocation.Part, _ units: UnitTable, _ search: inout Search,
        _ other: (UInt16, AttributeValue) -> Void
    ) {
        guard position >= 0, var cursor = try? bytes.from(UInt64(position)), let code = try? cursor.readULEB128(),
            let abbreviation = unit.abbreviations.abbreviation(code)
        else { return }
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            guard let value = try? cursor.readValue(attribute.form, implicit: attribute.implicit, unit.sizes) else { return }
            switch attribute.name {
            case Attribute.linkageName, Attribute.mipsLinkageName:
                if search.linkageName == nil { search.linkageName = unit.string(value, bytes) }
            case Attribute.name:
                if search.plainName == nil { search.plainName = unit.string(value, bytes) }
            case Attribute.abstractOrigin, Attribute.specification:
                if let location = EntryLocation(value, from: unit, in: part, units) { search.add(location) }
            default:
                other(attribute.name, value)
            }
        }
    }
}

/// Location of an entry.
struct EntryLocation: Hashable {
    /// Section or unit in which `offset` counts.
    enum Part {
        case info
        /// `.debug_types`.
        case types
        /// `.debug_info` of the supplementary file.
        case supplementary

        func table(of units: UnitTable) -> UnitTable? {
            switch self {
            case .info: units.forReferences
            case .types: units.types
            case .supplementary: units.supplementary
            }
        }
    }

    /// Bytes from the section's start.
    var offset: Int
    var part: Part

    /// The entry that a reference points to.
    /// - Parameters:
    ///   - unit: has the reference, and is in `part`.
    ///   - units: those of `.debug_info`.
    init?(_ value: AttributeValue, from unit: Unit, in part: Part, _ units: UnitTable) {
        let header = unit.header
        self.part = part
        switch value {
        case .unitReference(let distance):
            guard let distance = Int(exactly: distance), distance < header.end - header.offset else { return nil }
            offset = header.offset + distance
        case .infoReference(let offset):
            guard let offset = Int(exactly: offset) else { return nil }
            self.offset = offset
            if part == .types { self.part = .info }
        case .supplementaryReference(let offset):
            guard let offset = Int(exactly: offset) else { return nil }
            self.offset = offset
            self.part = .supplementary
        case .typeSignature(let signature):
            guard let entry = (part == .supplementary ? units.supplementary : units)?.typeEntry(signature) else { return nil }
            offset = entry.offset
            if part != .supplementary {
                self.part = entry.isInTypes ? .types : .info
            } else if entry.isInTypes {
                return nil
            }
        default: return nil
        }
    }
}
