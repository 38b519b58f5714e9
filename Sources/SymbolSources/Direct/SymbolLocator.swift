internal import BinaryPrimitives
internal import ObjectFiles

/// Finds functions by their names in one pass over a symbol table.
struct SymbolLocator {
    private struct Candidate: Hashable {
        var address: LinkAddress
        var section: Int
        /// Sizes of the symbols at this address.
        var sizes: Set<UInt64>
        /// Distance to the section's end, if the file is relocatable and this is its section's last symbol.
        var openDistance: UInt64?
    }

    private var candidates: [String: [Candidate]]
    private let needsSizes: Bool

    init(_ locations: [SymbolLocation]) {
        candidates = Dictionary(locations.map { ($0.name, []) }) { first, _ in first }
        needsSizes = locations.contains { $0.size != nil }
    }

    /// Names that no file had so far.
    var hasUnknown: Bool { candidates.contains { $0.value.isEmpty } }

    /// Looks for the names that are not known yet.
    mutating func look(in object: ObjectFile) {
        let wanted = candidates.filter(\.value.isEmpty)
        var found = wanted
        let filter = NameFilter(wanted.keys.map { $0 }, hasUnderscores: object.description.namesHaveUnderscores)
        try? object.file.withBytes { bytes throws(ObjectFileError) in
            try object.forEachSymbol { symbol in
                guard symbol.kind == .function || symbol.kind == .untyped, filter.mayBe(symbol.name, in: bytes) else { return true }
                let name = Self.plainName(object.sourceName(symbol.name.text(in: object)))
                guard var known = found[name] else { return true }
                if let index = known.firstIndex(where: { $0.address == symbol.address }) {
                    known[index].sizes.insert(symbol.size)
                } else if known.count < Self.maxCandidates {
                    known.append(Candidate(address: symbol.address, section: symbol.section, sizes: [symbol.size]))
                }
                found[name] = known
                return true
            }
        }
        if needsSizes { addDistances(to: &found, in: object) }
        candidates.merge(found) { _, new in new }
    }

    /// More functions of one name than this are ambiguous anyway.
    private static let maxCandidates = 1000

    /// A dynamic symbol's version (`memcpy@@GLIBC_2.14`) is no part of its name in a log.
    private static func plainName(_ name: String) -> String {
        guard let at = name.utf8.firstIndex(of: UInt8(ascii: "@")), at > name.startIndex else { return name }
        return String(name[..<at])
    }

    /// For Linux' kernel a function's size is the distance to the next symbol of its table: the
    /// symbol's size and the padding after it. ARM's and RISC-V's mapping symbols (`$x`) and
    /// assemblers' labels (`.L1`) are not in that table (`is_arm_mapping_symbol`, `kallsyms.c`).
    private func addDistances(to found: inout [String: [Candidate]], in object: ObjectFile) {
        let starts = Set(found.values.flatMap { $0.map(\.address) }).sorted()
        guard !starts.isEmpty else { return }
        var next = [LinkAddress?](repeating: nil, count: starts.count)
        var sections: [LinkAddress: Int] = [:]
        for candidate in found.values.joined() { sections[candidate.address] = candidate.section }
        try? object.file.withBytes { bytes throws(ObjectFileError) in
            try object.forEachSymbol { symbol in
                guard symbol.kind != .file, !NameFilter.isLabel(symbol.name, in: bytes) else { return true }
                // The last start before the symbol; those before it have it as their next, unless a
                // start is between.
                let low = starts.partitionPoint { $0 >= symbol.address }
                guard low > 0, sections[starts[low - 1]] == symbol.section else { return true }
                if next[low - 1].map({ symbol.address < $0 }) ?? true { next[low - 1] = symbol.address }
                return true
            }
        }
        for (name, list) in found {
            found[name] = list.map { candidate in
                var candidate = candidate
                guard let index = starts.firstIndex(of: candidate.address) else { return candidate }
                let section = object.section(containing: candidate.address)
                let end = next[index] ?? section.flatMap { $0.address.advanced(by: $0.size) }
                guard let distance = end?.distance(from: candidate.address) else { return candidate }
                candidate.sizes.insert(distance)
                if next[index] == nil, object.description.sectionsArePlaced { candidate.openDistance = distance }
                return candidate
            }
        }
    }

    /// Returns the addresses of a symbol's position: several if several functions have the name and the size
    /// (if it
    /// is given).
    func locate(_ symbol: SymbolLocation) -> LocateResult {
        guard let known = candidates[symbol.name], !known.isEmpty else { return .unresolved(.noSuchSymbol(symbol.name)) }
        var fitting = known
        if let size = symbol.size {
            fitting = known.filter { $0.sizes.contains(size) }
            // When Linux loads a module it puts its code's sections after one another, up to the
            // end of a page: a section's last symbol is followed by the next section's first, or
            // nothing, and then the size reaches to the module's end (`find_kallsyms_symbol`,
            // `kernel/module/kallsyms.c`): `module_init+0x35/0x1000`.
            if fitting.isEmpty { fitting = known.filter { $0.openDistance.map { $0 < size } ?? false } }
            if fitting.isEmpty {
                let sizes = Set(known.flatMap(\.sizes)).subtracting([0]).sorted()
                return .unresolved(.symbolSizeDiffers(name: symbol.name, log: size, file: sizes))
            }
        }
        let addresses = fitting.compactMap { $0.address.advanced(by: symbol.offset) }.sorted()
        return addresses.isEmpty ? .unresolved(.outsideImage) : .found(addresses)
    }
}

/// Separates most names of a table from the wanted ones by their first two bytes: a kernel has
/// 200,000 names, a log twenty.
private struct NameFilter {
    private var first = [Bool](repeating: false, count: 1 << 16)

    init(_ names: [String], hasUnderscores: Bool) {
        for name in names {
            mark(name)
            // A dynamic symbol of one letter may be followed by a version.
            mark(name + "@")
            // Compilers put none before Objective-C's names.
            if hasUnderscores { mark("_" + name) }
        }
    }

    private mutating func mark(_ name: String) {
        var bytes = name.utf8.makeIterator()
        let letter = bytes.next() ?? 0
        first[Self.index(letter, bytes.next() ?? 0)] = true
    }

    private static func index(_ first: UInt8, _ second: UInt8) -> Int { Int(first) << 8 | Int(second) }

    func mayBe(_ name: SymbolName, in bytes: RawSpan) -> Bool {
        guard let position = Int(exactly: name.position.value), position + 1 < bytes.byteCount else { return false }
        return first[Self.index(bytes.byte(at: position), bytes.byte(at: position + 1))]
    }

    static func isLabel(_ name: SymbolName, in bytes: RawSpan) -> Bool {
        guard let position = Int(exactly: name.position.value), position + 1 < bytes.byteCount else { return true }
        let letter = bytes.byte(at: position)
        return letter == 0 || letter == UInt8(ascii: "$")
            || (letter == UInt8(ascii: ".") && bytes.byte(at: position + 1) == UInt8(ascii: "L"))
    }
}
