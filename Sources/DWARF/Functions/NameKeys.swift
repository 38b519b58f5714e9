internal import BinaryPrimitives
internal import ObjectFiles

/// Names as numbers, so that a million calls of some thousand functions make no strings: the
/// position of a name's text, counted through the sections that hold texts, the shorter first.
///
///     key   0      1             n             m            p            end
///           | none | .debug_str  | .line_str   | .debug_info | .debug_types |
package struct NameKeys: Sendable {
    /// No name.
    package static let none: UInt32 = 0

    private let sections: DWARFSections
    /// The keys of each section: from the key of its first byte on. Shorter sections come first, so
    /// that most keys are small.
    private let starts: [(name: DWARFSections.Name, keys: Range<UInt64>)]
    private let startOfName: [UInt64]
    /// Those of `.debug_info`.
    private let entries: Range<UInt64>
    /// One past the largest key.
    package let end: UInt64

    /// - Parameter first: the least key that may be used.
    package init(_ sections: DWARFSections, first: UInt64) throws(DWARFError) {
        self.sections = sections
        var next = max(1, first)
        var starts: [(name: DWARFSections.Name, keys: Range<UInt64>)] = []
        var startOfName = [UInt64](repeating: 0, count: DWARFSections.Name.allCases.count)
        for name in [DWARFSections.Name.str, .lineStr, .info, .types] {
            guard let count = try sections.contents(name)?.count else { continue }
            starts.append((name, next..<next + UInt64(count)))
            startOfName[name.rawValue] = next
            next += UInt64(count)
        }
        self.starts = starts
        entries = starts.first { $0.name == .info }?.keys ?? 0..<0
        self.startOfName = startOfName
        end = next
        // A text without an end would be none for a lookup; the last byte ends all before it.
        for name in [DWARFSections.Name.str, .lineStr] {
            guard let contents = try sections.contents(name), contents.count > 0 else { continue }
            let last = contents.withBytes { $0.byte(at: $0.byteCount - 1) }
            guard last == 0 else { throw DWARFError(name, at: contents.count, "the last text has no end") }
        }
        if let problem = sections.textProblem { throw problem }
        guard SupplementaryFile.link(of: sections) == nil else {
            throw DWARFError(.info, at: 0, "texts are in a supplementary file")
        }
    }

    /// Gives the texts of keys to `body`, each without the zero after it. Numbers that are not
    /// keys, and keys without text, are left out.
    /// - Parameters:
    ///   - wanted: ascending.
    ///   - kept: the texts that entries hold.
    package func forEachText(_ wanted: ArraySlice<UInt32>, _ kept: [EntryTexts], _ body: (RawSpan) -> Void) {
        var rest = wanted
        for (name, keys) in starts {
            let group = rest.drop { UInt64($0) < keys.lowerBound }.prefix { UInt64($0) < keys.upperBound }
            rest = rest[group.endIndex...]
            guard !group.isEmpty else { continue }
            if name == .info {
                for key in group { _ = kept.contains { $0.withText(of: key, body) } }
                continue
            }
            guard let contents = (try? sections.contents(name)) ?? nil else { continue }
            contents.withBytes { bytes in
                for key in group {
                    guard var rest = try? bytes.from(UInt64(key) - keys.lowerBound), let text = try? rest.readCString() else { continue }
                    body(text)
                }
            }
        }
    }

    /// The text of a key; `nil` for what is none.
    package func text(_ key: UInt32, _ kept: EntryTexts) -> String? {
        if let text = shortText(key) { return text }
        var found: String?
        forEachText([key], [kept]) { found = $0.string() }
        return found
    }

    /// The text of a key through the mapping, for who needs most texts of the sections; `nil` for
    /// what is none, and for a text in an entry.
    func mappedText(_ key: UInt32) -> String? {
        guard let (name, keys) = starts.first(where: { $0.keys.contains(UInt64(key)) }), name != .info else { return nil }
        return ((try? sections.contents(name)) ?? nil)?.withBytes { $0.cString(at: UInt64(key) - keys.lowerBound) }
    }

    /// A text of a string section that is not long, read by itself: of the 64 KB that the mapping
    /// would bring for it, nothing else is needed.
    private func shortText(_ key: UInt32) -> String? {
        guard let (name, keys) = starts.first(where: { $0.keys.contains(UInt64(key)) }), name != .info,
            let contents = (try? sections.contents(name)) ?? nil
        else { return nil }
        let start = Int(UInt64(key) - keys.lowerBound)
        return contents.withBytes(in: start..<max(start, min(contents.count, start + 512)), ReadBuffer()) { bytes in
            var rest = bytes
            guard let text = try? rest.readCString() else { return nil }
            return text.string()
        }
    }

    /// Texts are here and there in their sections.
    package func releasePages() { sections.releasePages() }

    /// Whether a name is in an entry itself.
    func isInEntries(_ key: UInt32) -> Bool { entries.contains(UInt64(key)) }

    /// Gives the text of such a name to `body`.
    /// - Parameter bytes: of the unit in which the key was found, from its header to its end.
    func withEntryText(_ key: UInt32, _ unit: Unit, _ bytes: RawSpan, _ body: (RawSpan) -> Void) {
        let position = Int(UInt64(key) - entries.lowerBound)
        func give(_ bytes: RawSpan, from first: Int) {
            guard var rest = try? bytes.from(UInt64(position - first)), let text = try? rest.readCString() else { return }
            body(text)
        }
        if (unit.header.offset..<unit.header.end).contains(position) { return give(bytes, from: unit.header.offset) }
        // A reference led into another unit, so that the whole section is at hand.
        try? sections.wholeInformation().withBytes { give($0, from: 0) }
    }

    func key(_ section: DWARFSections.Name, at offset: UInt64) -> UInt32? {
        let start = startOfName[section.rawValue]
        guard start > 0, let count = try? sections.contents(section)?.count, offset < UInt64(count) else { return nil }
        return UInt32(exactly: start + offset)
    }

    /// The key of a value of class string; `nil` for other values, and where the text is outside
    /// its section.
    /// - Parameters:
    ///   - bytes: the unit, from its header to its end.
    ///   - section: the unit's.
    func key(_ value: AttributeValue, of unit: Unit, _ bytes: RawSpan, in section: DWARFSections.Name) -> UInt32? {
        switch value {
        case .inlineString(let bytesBeforeEnd): key(section, at: UInt64(unit.header.offset + max(0, bytes.byteCount - bytesBeforeEnd)))
        case .stringOffset(let offset): key(.str, at: offset)
        case .lineStringOffset(let offset): key(.lineStr, at: offset)
        case .stringIndex(let index): unit.stringOffset(at: index).flatMap { key(.str, at: $0) }
        default: nil
        }
    }
}

/// Finds the keys of subroutines' names as `EntryNames` finds their texts: through the chain of
/// abstract origins and specifications.
struct NameKeySearch {
    private let keys: NameKeys
    let units: UnitTable

    private var linkage: UInt32?
    private var plain: UInt32?
    private var pending: [EntryLocation] = []
    /// A few: no more than `Limits.originChain`.
    private var seen: [EntryLocation] = []

    init(_ keys: NameKeys, _ units: UnitTable) {
        self.keys = keys
        self.units = units
    }

    /// The key of the name of the entry at `position` of a unit: of the linkage name, else of the
    /// plain one.
    /// - Parameters:
    ///   - position: bytes from the unit's header.
    ///   - bytes: the unit, from its header to its end.
    mutating func key(at position: Int, of unit: Unit, _ bytes: RawSpan) -> UInt32 {
        (linkage, plain) = (nil, nil)
        pending.removeAll(keepingCapacity: true)
        seen.removeAll(keepingCapacity: true)
        read(at: position, of: unit, bytes, in: .info)
        // A linkage name anywhere in the chain beats a nearer plain one: gcc gives it to the
        // declaration alone.
        while linkage == nil, let next = pending.popLast() { follow(next, from: unit, bytes) }
        return linkage ?? plain ?? NameKeys.none
    }

    private mutating func follow(_ location: EntryLocation, from unit: Unit, _ bytes: RawSpan) {
        if location.part == .info, (unit.header.offset..<unit.header.end).contains(location.offset) {
            return read(at: location.offset - unit.header.offset, of: unit, bytes, in: .info)
        }
        guard let table = location.part.table(of: units), let header = table.header(containing: location.offset) else { return }
        var found = self
        // An origin that cannot be read leaves the names that were found before it.
        try? table.withMappedUnit(header) { (other: Unit, otherBytes: RawSpan) throws(DWARFError) in
            found.read(at: location.offset - header.offset, of: other, otherBytes, in: location.part)
        }
        self = found
    }

    private mutating func read(at position: Int, of unit: Unit, _ bytes: RawSpan, in part: EntryLocation.Part) {
        guard position >= 0, var cursor = try? bytes.from(UInt64(position)), let code = try? cursor.readULEB128(),
            let abbreviation = unit.abbreviations.abbreviation(code)
        else { return }
        let section: DWARFSections.Name = part == .types ? .types : .info
        for attribute in unit.abbreviations.attributes(of: abbreviation) {
            switch attribute.name {
            case Attribute.linkageName, Attribute.mipsLinkageName, Attribute.name, Attribute.abstractOrigin, Attribute.specification:
                guard let value = try? cursor.readValue(attribute.form, implicit: attribute.implicit, unit.sizes) else { return }
                switch attribute.name {
                case Attribute.name: plain = plain ?? keys.key(value, of: unit, bytes, in: section)
                case Attribute.linkageName, Attribute.mipsLinkageName: linkage = linkage ?? keys.key(value, of: unit, bytes, in: section)
                default:
                    if let location = EntryLocation(value, from: unit, in: part, units), seen.count < Limits.standard.originChain,
                        !seen.contains(location)
                    {
                        seen.append(location)
                        pending.append(location)
                    }
                }
            default:
                guard (try? cursor.skip(attribute.step, unit.sizes)) != nil else { return }
            }
        }
    }
}

/// Names that are in entries themselves, by their keys. They are kept when they are met: a
/// `.debug_info` that is inflated as it is read has passed when they are wanted.
package struct EntryTexts: Sendable {
    private var ranges: [UInt32: Range<Int>] = [:]
    private var bytes: [UInt8] = []

    package init() {}

    /// Keeps the text of a key.
    /// - Parameter bytes: of the unit in which the key was found, from its header to its end.
    mutating func keep(_ key: UInt32, _ keys: NameKeys, _ unit: Unit, _ bytes: RawSpan) {
        guard ranges[key] == nil else { return }
        keys.withEntryText(key, unit, bytes) { text in
            ranges[key] = self.bytes.count..<self.bytes.count + text.byteCount
            self.bytes.append(copying: text.text)
        }
    }

    /// Gives the text of a key to `body`, if it was kept.
    func withText(of key: UInt32, _ body: (RawSpan) -> Void) -> Bool {
        guard let range = ranges[key] else { return false }
        body(bytes.span.rawBytes.clamped(to: range))
        return true
    }
}

/// The keys of names by the entries of a unit that calls refer to: a cache, because a few functions
/// are called again and again.
///
/// An entry has one slot, which the next one with the same slot takes over.
struct OriginKeys {
    private static let bits: UInt32 = 12
    private var entries = [UInt32](repeating: .max, count: 1 << Int(bits))
    private var keys = [UInt32](repeating: 0, count: 1 << Int(bits))

    mutating func removeAll() {
        for index in entries.indices { entries[index] = .max }
    }

    /// - Parameter entry: bytes from the unit's header.
    /// - Returns: `nil` where the key has to be searched.
    func key(of entry: UInt32) -> UInt32? {
        let slot = Self.slot(of: entry)
        return entries[slot] == entry && entry != .max ? keys[slot] : nil
    }

    mutating func keep(_ key: UInt32, of entry: UInt32) {
        let slot = Self.slot(of: entry)
        entries[slot] = entry
        keys[slot] = key
    }

    /// By the highest bits of the product with 2^32 divided by the golden ratio, which spreads
    /// neighbours (Knuth, volume 3, section 6.4).
    @inline(__always)
    private static func slot(of entry: UInt32) -> Int { Int(truncatingIfNeeded: (entry &* 0x9e37_79b9) >> (32 - bits)) }
}
