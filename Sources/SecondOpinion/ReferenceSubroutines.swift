internal import CLibdwarf

/// A subprogram or inlined subroutine around an address.
struct ReferenceSubroutine {
    /// Offset of its entry in `.debug_info`.
    var offset: UInt64
    var isInlined: Bool
    /// First address (DWARF 5, section 2.18): `DW_AT_low_pc`, or the beginning of its first range.
    var start: UInt64?
}

/// Collects the subroutines of one unit that cover wanted addresses, while its entries are visited in order.
struct ReferenceSubroutines {
    private let base: UInt64
    private let removed: RemovedCode
    /// The subroutines that enclose the current entry.
    private var open: [(depth: Int, subroutine: ReferenceSubroutine)] = []
    /// Chains of subroutines by the index of the wanted address: innermost first, up to the first that is not
    /// inlined. Of nested entries only the innermost has a chain; several chains belong to entries that are
    /// not nested.
    private(set) var chains: [Int: [[ReferenceSubroutine]]] = [:]

    init(base: UInt64, _ removed: RemovedCode) {
        self.base = base
        self.removed = removed
    }

    /// - Parameters:
    ///   - depth: depth of the entry, one more for its children.
    ///   - indices: returns the wanted addresses that are in a range.
    mutating func visit(_ entry: borrowing LibdwarfEntry, depth: Int, _ indices: (Range<UInt64>) -> Range<Int>) throws(InspectionError) {
        while let last = open.last, last.depth >= depth { open.removeLast() }
        let tag = entry.tag
        guard tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine else { return }
        let ranges = try entry.addressRanges(base: base) ?? []
        let subroutine = ReferenceSubroutine(
            offset: entry.offset, isInlined: tag == DW_TAG_inlined_subroutine, start: ranges.first?.lowerBound)
        open.append((depth, subroutine))
        for range in ranges where !removed.isRemoved(range.lowerBound) {
            for index in indices(range) { add(chain(), at: index) }
        }
    }

    /// Returns the subroutines that enclose the current entry, innermost first.
    private func chain() -> [ReferenceSubroutine] {
        var chain: [ReferenceSubroutine] = []
        for (_, subroutine) in open.reversed() {
            chain.append(subroutine)
            if !subroutine.isInlined { break }
        }
        return chain
    }

    /// Adds a chain; it replaces those of the enclosing entries.
    private mutating func add(_ chain: [ReferenceSubroutine], at index: Int) {
        let around = Set(open.map(\.subroutine.offset))
        chains[index, default: []].removeAll { known in known.first.map { around.contains($0.offset) } ?? true }
        chains[index, default: []].append(chain)
    }
}
