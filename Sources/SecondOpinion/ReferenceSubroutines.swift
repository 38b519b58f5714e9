internal import CLibdwarf

/// A subprogram or inlined subroutine around an address.
struct ReferenceSubroutine {
    /// The offset of its entry in `.debug_info`.
    var offset: UInt64
    var isInlined: Bool
    /// Its first address (DWARF 5, section 2.18): `DW_AT_low_pc`, or the beginning of its first
    /// range.
    var start: UInt64?
}

/// Gathers the subroutines of one unit that cover wanted addresses, while its entries are visited
/// in their order.
struct ReferenceSubroutines {
    private let base: UInt64
    private let removed: RemovedCode
    /// The subroutines around the entry that is visited.
    private var open: [(depth: Int, subroutine: ReferenceSubroutine)] = []
    /// By index of the wanted address: chains of subroutines, innermost first, up to the first that
    /// is not inlined. Of entries inside of each other only the innermost has a chain; several
    /// chains are entries beside each other.
    private(set) var chains: [Int: [[ReferenceSubroutine]]] = [:]

    init(base: UInt64, _ removed: RemovedCode) {
        self.base = base
        self.removed = removed
    }

    /// - Parameters:
    ///   - depth: grows by one for children.
    ///   - indices: gives the wanted addresses that are in a range.
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

    /// The subroutines around the current entry, innermost first.
    private func chain() -> [ReferenceSubroutine] {
        var chain: [ReferenceSubroutine] = []
        for (_, subroutine) in open.reversed() {
            chain.append(subroutine)
            if !subroutine.isInlined { break }
        }
        return chain
    }

    /// A chain takes the place of those of the entries around it.
    private mutating func add(_ chain: [ReferenceSubroutine], at index: Int) {
        let around = Set(open.map(\.subroutine.offset))
        chains[index, default: []].removeAll { known in known.first.map { around.contains($0.offset) } ?? true }
        chains[index, default: []].append(chain)
    }
}
