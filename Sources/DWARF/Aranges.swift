internal import BinaryPrimitives
internal import ObjectFiles

/// `.debug_aranges` (DWARF 5, section 6.1.2): which unit covers which addresses. Compilers may leave units out, so that an address that is
/// not found here may still be covered.
struct Aranges {
    /// For each wanted address the offset of a unit that claims it, or -1.
    ///
    /// Several units may claim an address (each was compiled with a copy of a function, of which the linker kept one): the first in the file
    /// is taken, as LLVM does.
    private(set) var units: [Int]
    /// The units that have a set of their own, whether or not it is complete.
    private(set) var described: Set<Int> = []
    private let wanted: [UInt64]
    private let zeroIsRemovedCode: Bool

    /// - Parameter wanted: addresses, ascending.
    init(_ sections: DWARFSections, wanted: [UInt64], _ buffer: ReadBuffer) {
        self.wanted = wanted
        units = [Int](repeating: -1, count: wanted.count)
        zeroIsRemovedCode = sections.zeroIsRemovedCode
        guard let contents = try? sections.contents(.aranges) else { return }
        let order = sections.byteOrder
        contents.withBytes(in: 0..<contents.count, buffer) { bytes in
            // A damaged table is a table that ends there: the units' own ranges serve instead.
            var cursor = bytes
            while cursor.byteCount > 0 {
                guard (try? takeSet(&cursor, order)) != nil else { break }
            }
        }
    }

    private mutating func takeSet(_ cursor: inout RawSpan, _ order: ByteOrder) throws(ReadError) {
        let before = cursor.byteCount
        let (length, offsetSize) = try cursor.takeInitialLength(order)
        var set = try cursor.take(bytes: Int(clamping: length))
        let prefix = before - cursor.byteCount - set.byteCount
        let size = set.byteCount
        let version = try set.take(UInt16.self, order)
        let unit = Int(clamping: try set.takeUnsigned(size: offsetSize, order))
        let addressSize = Int(try set.take(UInt8.self))
        let segmentSize = Int(try set.take(UInt8.self))
        guard version == 2, addressSize == 4 || addressSize == 8, segmentSize == 0 else { return }
        // The first tuple is aligned to the size of a tuple, counted from the set's first byte.
        let headerSize = prefix + size - set.byteCount
        let tuple = 2 * addressSize
        try set.skip((tuple - headerSize % tuple) % tuple)
        described.insert(unit)
        while set.byteCount >= tuple {
            let start = try set.takeUnsigned(size: addressSize, order)
            let length = try set.takeUnsigned(size: addressSize, order)
            guard length > 0, !(start == 0 && zeroIsRemovedCode) else { continue }
            claim(start, start.addingReportingOverflow(length), unit)
        }
    }

    private mutating func claim(_ start: UInt64, _ end: (partialValue: UInt64, overflow: Bool), _ unit: Int) {
        guard !end.overflow else { return }
        var index = wanted.firstIndex(notBelow: start)
        while index < wanted.count, wanted[index] < end.partialValue {
            if units[index] < 0 || unit < units[index] { units[index] = unit }
            index += 1
        }
    }
}

extension [UInt64] {
    /// In an ascending array, the index of the first element that is not below `value`; `count` if all are.
    func firstIndex(notBelow value: UInt64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
