internal import BinaryPrimitives
internal import CrashLogModel
internal import SymbolSources

/// Looks up positions of one image in its source, in any form, all at once.
struct LocationLookup {
    struct Found {
        /// The position as an offset into the image; `nil` where it is not known.
        var raw: ImageOffset?
        var result: SymbolResult
    }

    private let source: any SymbolSource

    init(_ source: any SymbolSource) { self.source = source }

    /// - Parameter locations: the location of each frame, and whether the byte before it is looked up (return
    ///   addresses).
    /// - Returns: one result for each, in the same order.
    func results(for locations: [(location: ImageLocation, isAdjusted: Bool)]) -> [Found] {
        var found = [Found](repeating: Found(raw: nil, result: .unresolved(.noSymbol)), count: locations.count)
        var offsets: [(index: Int, raw: ImageOffset, wanted: ImageOffset)] = []
        var others: [Int] = []
        for (index, location) in locations.enumerated() {
            guard case .offset(let offset) = location.location else {
                others.append(index)
                continue
            }
            offsets.append((index, offset, location.isAdjusted ? ImageOffset(ReturnAddress.call(before: offset.value)) : offset))
        }
        let sorted = Set(offsets.map(\.wanted)).sorted()
        let results = Dictionary(zip(sorted, source.frames(at: sorted))) { first, _ in first }
        for part in offsets { found[part.index] = Found(raw: part.raw, result: results[part.wanted] ?? .unresolved(.noResult)) }
        if !others.isEmpty { locate(others, locations, &found) }
        return found
    }

    /// Places that are not offsets: found first, then looked up by their link addresses.
    private func locate(_ indices: [Int], _ locations: [(location: ImageLocation, isAdjusted: Bool)], _ found: inout [Found]) {
        let located = zip(indices, source.locate(indices.map { locations[$0].location }))
        var wanted: [(index: Int, addresses: [LinkAddress], raw: [LinkAddress])] = []
        for (index, location) in located {
            switch location {
            case .unresolved(let reason): found[index].result = .unresolved(reason)
            case .found(let raw):
                let adjusted = locations[index].isAdjusted ? raw.map { LinkAddress(ReturnAddress.call(before: $0.value)) } : raw
                wanted.append((index, adjusted, raw))
            }
        }
        let sorted = Set(wanted.flatMap(\.addresses)).sorted()
        guard !sorted.isEmpty else { return }
        let results = Dictionary(zip(sorted, source.frames(at: sorted))) { first, _ in first }
        for part in wanted {
            let candidates = part.addresses.map { results[$0] ?? .unresolved(.noResult) }
            guard let first = candidates.first, let raw = part.raw.first else { continue }
            let offset = source.offset(of: raw)
            if candidates.dropFirst().allSatisfy({ $0.hasSameText(as: first) }) {
                found[part.index] = Found(raw: offset, result: first)
            } else if case .symbol(let symbol) = locations[part.index].location {
                let starts = part.raw.map { LinkAddress($0.value &- symbol.offset) }
                found[part.index].result = .unresolved(.ambiguousSymbol(name: symbol.name, starts))
            }
        }
    }
}

extension SymbolResult {
    /// Whether another result has the same text: copies of one inline function, of any units. Their starts are
    /// not compared.
    func hasSameText(as other: SymbolResult) -> Bool {
        guard case .found(let own) = self, case .found(let others) = other, own.count == others.count else { return self == other }
        return zip(own, others).allSatisfy { $0.name == $1.name && $0.location == $1.location && $0.isInlined == $1.isInlined }
    }
}

extension ImageLocation {
    /// The position without the lowest bit of an address, which marks Thumb code on 32-bit ARM.
    var withoutThumbBit: ImageLocation {
        switch self {
        case .offset(let offset): .offset(ImageOffset(offset.value & ~1))
        case .linkAddress(let address): .linkAddress(LinkAddress(address.value & ~1))
        case .fileOffset(let offset): .fileOffset(offset & ~1)
        case .relativePC(let value): .relativePC(value & ~1)
        case .textOffset(let distance): .textOffset(distance & ~1)
        case .mapping(let mapping): .mapping(MappingLocation(offset: mapping.offset & ~1, size: mapping.size))
        // The symbol's address has lost the bit, and the log's offset was counted from it with or
        // without: ARM instructions are even.
        case .symbol(let symbol): .symbol(SymbolLocation(name: symbol.name, offset: symbol.offset & ~1, size: symbol.size))
        }
    }
}
