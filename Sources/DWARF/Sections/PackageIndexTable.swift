package import BinaryPrimitives

/// The index of a package of split units, `.debug_cu_index` or `.debug_tu_index` (DWARF 5, section
/// 7.3.5.3; GNU's version 2 before it): which parts of the other sections are a unit's.
package struct PackageIndexTable: Sendable {
    /// A slot of the hash table that is used.
    package struct Slot: Sendable {
        package var number: Int
        /// The unit's ID or signature.
        package var signature: UInt64
        /// From 0.
        package var row: Int
    }

    package let version: UInt32
    /// `DW_SECT_…` of each column.
    package let kinds: [UInt32]
    package let rowCount: Int
    package let slotCount: Int
    package private(set) var slots: [Slot] = []
    /// Row by row: the offsets, then the sizes.
    private var numbers: [UInt32] = []

    /// A hash table of IDs, a parallel table of row numbers from 1, the columns' section numbers,
    /// and tables of offsets and sizes.
    package init(_ bytes: RawSpan, _ order: ByteOrder) throws(ReadError) {
        var cursor = bytes
        // Version 2 is a word; version 5 a half word and padding.
        let first = try cursor.read(UInt32.self, order)
        version = first == 2 ? 2 : order == .littleEndian ? first & 0xffff : first >> 16
        guard version == 2 || version == 5 else { throw ReadError(.unknownVersion(UInt64(version)), bytesLeft: cursor.byteCount) }
        let columns = UInt64(try cursor.read(UInt32.self, order))
        let rows = UInt64(try cursor.read(UInt32.self, order))
        let slots = UInt64(try cursor.read(UInt32.self, order))
        // Numbers of 32 bits and few columns: their products stay far below 64.
        guard columns > 0, columns < 64, rows <= slots, 12 * slots + 4 * columns * (1 + 2 * rows) <= UInt64(cursor.byteCount) else {
            throw ReadError(.outOfBytes(needed: Int(12 * slots)), bytesLeft: cursor.byteCount)
        }
        (rowCount, slotCount) = (Int(rows), Int(slots))
        var signatures = try cursor.read(bytes: 8 * slotCount)
        for number in 0..<slotCount {
            let signature = try signatures.read(UInt64.self, order)
            let row = Int(try cursor.read(UInt32.self, order))
            if row > 0, row <= rowCount { self.slots.append(Slot(number: number, signature: signature, row: row - 1)) }
        }
        var kinds: [UInt32] = []
        for _ in 0..<columns { kinds.append(try cursor.read(UInt32.self, order)) }
        self.kinds = kinds
        numbers.reserveCapacity(2 * rowCount * kinds.count)
        for _ in 0..<2 * rowCount * kinds.count { numbers.append(try cursor.read(UInt32.self, order)) }
    }

    /// A unit's part of the section that a column is about.
    package func part(row: Int, column: Int) -> Range<UInt64> {
        let index = row * kinds.count + column
        let start = UInt64(numbers[index])
        return start..<start + UInt64(numbers[index + rowCount * kinds.count])
    }
}
