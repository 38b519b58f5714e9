internal import BinaryPrimitives

/// Which of some offsets of `.debug_info` entries begin at, and their tags: what tables of names
/// refer to, read unit by unit.
struct EntryTags {
    private var offsets: [UInt64] = []
    private var tags: [UInt16] = []

    init(_ wanted: NumberSet, _ context: DumpContext?) {
        guard let context else { return }
        let sorted = wanted.all.sorted()
        let trees = UnitTrees(context)
        var index = 0
        for unit in context.infoUnits where index < sorted.count && sorted[index] < UInt64(unit.end) {
            let tree = trees.tree(of: unit)
            while index < sorted.count, sorted[index] < UInt64(unit.end) {
                let offset = Int(sorted[index])
                if offset >= unit.offset, tree.index(of: offset - unit.offset) != nil, let entry = context.entry(at: offset, in: unit) {
                    offsets.append(sorted[index])
                    tags.append(entry.tag)
                }
                index += 1
            }
        }
    }

    /// - Returns: `nil` where no entry begins.
    subscript(offset: UInt64) -> UInt16? {
        let low = offsets.partitionPoint { $0 >= offset }
        return low < offsets.count && offsets[low] == offset ? tags[low] : nil
    }
}
