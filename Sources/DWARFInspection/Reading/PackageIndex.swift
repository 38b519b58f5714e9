internal import BinaryPrimitives
internal import DWARF

/// The indexes of a package of split units (DWARF 5, section 7.3.5.3; GNU's before it): which parts
/// of the other sections are a unit's.
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
        // GNU's split units have their signature in their root, which cannot be read before: so
        // they are found by their position.
        let byOffset = table?.row(at: UInt64(unit.offset))
        let row = byOffset ?? table?.row(of: unit.isTypeUnit ? unit.typeSignature : unit.dwoID)
        return row.flatMap { table?.contribution($0, kind.rawValue) }
    }

    private struct Table {
        private let table: PackageIndexTable
        private var rowsByOffset: [UInt64: Int] = [:]
        private var rowsBySignature: [UInt64: Int] = [:]

        init?(_ bytes: SectionBytes) {
            guard let table = PackageIndexTable(bytes) else { return nil }
            self.table = table
            for slot in table.slots { rowsBySignature[slot.signature] = slot.row }
            // `DW_SECT_INFO`, and GNU's `DW_SECT_TYPES`.
            guard let column = table.kinds.firstIndex(where: { $0 == 1 || (table.version == 2 && $0 == 2) }) else { return }
            for row in 0..<table.rowCount { rowsByOffset[table.part(row: row, column: column).lowerBound] = row }
        }

        func row(at position: UInt64) -> Int? { rowsByOffset[position] }
        func row(of signature: UInt64) -> Int? { rowsBySignature[signature] }

        func contribution(_ row: Int, _ kind: UInt32) -> Range<UInt64>? {
            table.kinds.firstIndex(of: kind).map { table.part(row: row, column: $0) }
        }
    }
}

extension PackageIndexTable {
    /// - Returns: `nil` if it cannot be read.
    init?(_ bytes: SectionBytes) {
        let table = try? bytes.withBytes(from: 0) { (span: RawSpan) throws(ReadError) in try PackageIndexTable(span, bytes.order) }
        guard let table else { return nil }
        self = table
    }

    /// `DW_SECT_…` without the beginning; `nil` if the number has no name.
    func name(ofColumn column: Int) -> StaticString? {
        let old: [UInt32: StaticString] = [
            1: "INFO", 2: "TYPES", 3: "ABBREV", 4: "LINE", 5: "LOC", 6: "STR_OFFSETS", 7: "MACINFO", 8: "MACRO",
        ]
        let new: [UInt32: StaticString] = [
            1: "INFO", 3: "ABBREV", 4: "LINE", 5: "LOCLISTS", 6: "STR_OFFSETS", 7: "MACRO", 8: "RNGLISTS",
        ]
        return (version == 2 ? old : new)[kinds[column]]
    }
}
