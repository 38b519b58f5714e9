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
        var low = 0
        var high = offsets.count
        while low < high {
            let middle = low + (high - low) / 2
            if offsets[middle] < unit { low = middle + 1 } else { high = middle }
        }
        return low < offsets.count && offsets[low] == unit
    }
}
