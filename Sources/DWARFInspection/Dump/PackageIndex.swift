#if Inspection
    /// The indexes of a package of split units (DWARF 5, section 7.3.5.3; GNU's before it): which parts of the other sections are a unit's.
    final class PackageIndex {
        enum Kind: UInt32 {
            case abbreviations = 3
            case lines = 4
            /// `DW_SECT_LOCLISTS`, and GNU's `DW_SECT_LOC`.
            case locationLists = 5
            case stringOffsets = 6
            case rangeLists = 8
        }

        private let units: Table?
        private let types: Table?

        /// - Returns: `nil` if there is no index that can be read.
        init?(_ units: SectionBytes, _ types: SectionBytes) {
            self.units = Table(units)
            self.types = Table(types)
            if self.units == nil, self.types == nil { return nil }
        }

        func contribution(to unit: DumpUnit, _ kind: Kind) -> Range<UInt64>? {
            let table = unit.isTypeUnit ? types : units
            // GNU's split units tell their signature in their root, which cannot be read before: so they are found by their place.
            let byPlace = table?.row(at: UInt64(unit.offset), isTypesSection: unit.isInTypes)
            let row = byPlace ?? table?.row(of: unit.isTypeUnit ? unit.typeSignature : unit.dwoID)
            return row.flatMap { table?.contribution($0, kind.rawValue) }
        }

        private struct Table {
            let version: UInt32
            let columns: [UInt32]
            let rows: Int
            let offsets: Int
            let bytes: SectionBytes
            private var rowsByPlace: [UInt64: Int] = [:]
            private var rowsBySignature: [UInt64: Int] = [:]

            init?(_ bytes: SectionBytes) {
                var cursor = bytes.cursor(at: 0)
                let first = cursor.u32()
                // Version 5 has two bytes of padding behind it.
                version = first == 2 ? 2 : first & 0xffff
                let (columnCount, rowCount, slotCount) = (cursor.u32(), cursor.u32(), cursor.u32())
                guard !cursor.isPastEnd, version == 2 || version == 5, columnCount > 0, columnCount < 64, rowCount <= slotCount,
                    UInt64(slotCount) * 12 + UInt64(columnCount) * (1 + 2 * UInt64(rowCount)) * 4 <= UInt64(bytes.count)
                else { return nil }
                let signatures = cursor.position
                cursor.skip(UInt64(slotCount) * 8)
                let indexes = cursor.position
                cursor.skip(UInt64(slotCount) * 4)
                columns = (0..<columnCount).map { _ in cursor.u32() }
                rows = Int(rowCount)
                offsets = cursor.position
                self.bytes = bytes
                for slot in 0..<Int(slotCount) {
                    let row = Int(bytes.number(at: indexes + 4 * slot, size: 4) ?? 0)
                    guard row > 0, row <= rows, let signature = bytes.number(at: signatures + 8 * slot, size: 8) else { continue }
                    rowsBySignature[signature] = row - 1
                }
                // `DW_SECT_INFO`, and GNU's `DW_SECT_TYPES`.
                guard let column = columns.firstIndex(where: { $0 == 1 || (version == 2 && $0 == 2) }) else { return }
                for row in 0..<rows { if let place = value(row, column, at: offsets) { rowsByPlace[place] = row } }
            }

            func row(at place: UInt64, isTypesSection: Bool) -> Int? { rowsByPlace[place] }
            func row(of signature: UInt64) -> Int? { rowsBySignature[signature] }

            func contribution(_ row: Int, _ kind: UInt32) -> Range<UInt64>? {
                guard let column = columns.firstIndex(of: kind), let start = value(row, column, at: offsets),
                    let size = value(row, column, at: offsets + 4 * rows * columns.count)
                else { return nil }
                return start..<start + size
            }

            private func value(_ row: Int, _ column: Int, at table: Int) -> UInt64? {
                bytes.number(at: table + 4 * (row * columns.count + column), size: 4)
            }
        }
    }
#endif
