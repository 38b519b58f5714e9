internal import BinaryPrimitives

/// The units that have a set of their own in `.debug_aranges`, by their offsets.
///
/// Most files name them in ascending order, and most lookups never need them. So no set is made,
/// which would cost one address more than its unit's line program.
struct DescribedUnits {
    private var offsets: [Int] = []
    private var isAscending = true

    /// Adds a unit; `sort` comes before the first question.
    mutating func add(_ unit: Int) {
        if let last = offsets.last, last >= unit { isAscending = false }
        offsets.append(unit)
    }

    mutating func sort() {
        if !isAscending { offsets.sort() }
        isAscending = true
    }

    func contains(_ unit: Int) -> Bool {
        let low = offsets.partitionPoint { $0 >= unit }
        return low < offsets.count && offsets[low] == unit
    }
}
