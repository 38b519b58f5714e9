internal import DWARF

/// Checks an index of a package: that no part of a section belongs to two units (DWARF 5, section
/// 7.3.5.3).
struct PackageIndexCheck {
    private let bytes: SectionBytes
    private let isTypes: Bool
    private let report: VerifierReport

    init(_ bytes: SectionBytes, isTypes: Bool, _ report: VerifierReport) {
        self.bytes = bytes
        self.isTypes = isTypes
        self.report = report
    }

    /// - Returns: whether the index can be read and nothing is wrong.
    func run() -> Bool {
        guard let table = PackageIndexTable(bytes) else { return false }
        // The column of the units themselves: `DW_SECT_INFO`, of version 2's types `DW_SECT_TYPES`.
        let own: UInt32 = isTypes && table.version == 2 ? 2 : 1
        guard let ownColumn = table.kinds.firstIndex(of: own), table.kinds.lastIndex(of: own) == ownColumn else { return false }
        let checked = own == 1 ? Array(table.kinds.indices) : [ownColumn]
        var taken = [SortedRanges](repeating: SortedRanges(), count: checked.count)
        for (number, slot) in table.slots.enumerated() {
            for (index, column) in checked.enumerated() {
                let part = table.part(row: slot.row, column: column)
                if part.isEmpty { continue }
                let bounds = RangeLists.Bounds(low: part.lowerBound, high: part.upperBound)
                if let other = taken[index].owners(overlapping: bounds, most: 1).first {
                    let known = table.slots[other].signature
                    let name = table.name(ofColumn: column).map(\.description) ?? "Unknown: 0x" + String(table.kinds[column], radix: 16)
                    report.add(
                        isTypes ? "Overlapping TU index entries" : "Overlapping CU index entries",
                        "overlapping index entries for entries \(VerifierText.hex(known, 16)) and \(VerifierText.hex(slot.signature, 16)) "
                            + "for column \(name)")
                    return false
                }
                _ = taken[index].insert(bounds, owner: number)
            }
        }
        return true
    }
}
