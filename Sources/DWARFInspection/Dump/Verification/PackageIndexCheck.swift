#if Inspection
    /// Checks an index of a package: that no part of a section belongs to two units (DWARF 5, section 7.3.5.3).
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
            var cursor = bytes.cursor(at: 0)
            let first = cursor.u32()
            // Version 5 has two bytes of padding behind it.
            let version = first == 2 ? 2 : first & 0xffff
            let (columnCount, unitCount, slotCount) = (UInt64(cursor.u32()), UInt64(cursor.u32()), UInt64(cursor.u32()))
            // 32 and 16 bits: their product stays far below 64.
            guard !cursor.isPastEnd, version == 2 || version == 5, columnCount < 1 << 16,
                slotCount * 12 + (2 * unitCount + 1) * 4 * columnCount <= UInt64(bytes.count - cursor.position)
            else { return false }
            let signatures = cursor.position
            let rows = signatures + 8 * Int(slotCount)
            let columns = rows + 4 * Int(slotCount)
            let offsets = columns + 4 * Int(columnCount)
            let sizes = offsets + 4 * Int(columnCount * unitCount)
            func number(_ place: Int) -> UInt64 { bytes.number(at: place, size: 4) ?? 0 }
            let kinds = (0..<Int(columnCount)).map { number(columns + 4 * $0) }
            // The column of the units themselves: `DW_SECT_INFO`, of version 2's types `DW_SECT_TYPES`.
            let own: UInt64 = isTypes && version == 2 ? 2 : 1
            guard let ownColumn = kinds.firstIndex(of: own), kinds.lastIndex(of: own) == ownColumn else { return false }
            let checked = own == 1 ? Array(0..<Int(columnCount)) : [ownColumn]
            var taken = [SortedRanges](repeating: SortedRanges(), count: checked.count)
            for slot in 0..<Int(slotCount) {
                let row = number(rows + 4 * slot)
                guard row > 0, row <= unitCount else { continue }
                let signature = bytes.number(at: signatures + 8 * slot, size: 8) ?? 0
                for (index, column) in checked.enumerated() {
                    let place = 4 * ((Int(row) - 1) * Int(columnCount) + column)
                    let (start, length) = (number(offsets + place), number(sizes + place))
                    if length == 0 { continue }
                    let part = RangeLists.Bounds(low: start, high: start + length)
                    if let other = taken[index].owners(overlapping: part, most: 1).first {
                        let known = bytes.number(at: signatures + 8 * other, size: 8) ?? 0
                        report.add(
                            isTypes ? "Overlapping TU index entries" : "Overlapping CU index entries",
                            "overlapping index entries for entries \(VerifierText.hex(known, 16)) and \(VerifierText.hex(signature, 16)) "
                                + "for column \(Self.name(kinds[column], version))")
                        return false
                    }
                    _ = taken[index].insert(part, owner: slot)
                }
            }
            return true
        }

        /// `DW_SECT_…` without the beginning.
        private static func name(_ kind: UInt64, _ version: UInt32) -> String {
            let old: [UInt64: String] = [
                1: "INFO", 2: "TYPES", 3: "ABBREV", 4: "LINE", 5: "LOC", 6: "STR_OFFSETS", 7: "MACINFO", 8: "MACRO",
            ]
            let new: [UInt64: String] = [1: "INFO", 3: "ABBREV", 4: "LINE", 5: "LOCLISTS", 6: "STR_OFFSETS", 7: "MACRO", 8: "RNGLISTS"]
            return (version == 2 ? old : new)[kind] ?? "Unknown: 0x" + String(kind, radix: 16)
        }
    }
#endif
