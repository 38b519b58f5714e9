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
    /// For each wanted address where the code begins that the unit claims around it without a gap.
    private(set) var starts: [UInt64]
    /// The units that have a set of their own, whether or not it is complete.
    private(set) var described: Set<Int> = []
    private let wanted: SortedAddresses
    private let zeroIsRemovedCode: Bool

    /// - Parameter wanted: addresses, ascending.
    init(_ sections: DWARFSections, wanted: [UInt64], _ buffer: ReadBuffer) {
        self.wanted = SortedAddresses(wanted)
        units = [Int](repeating: -1, count: wanted.count)
        starts = [UInt64](repeating: 0, count: wanted.count)
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
        var joined = JoinedRanges()
        while set.byteCount >= tuple {
            let start = try set.takeUnsigned(size: addressSize, order)
            let length = try set.takeUnsigned(size: addressSize, order)
            guard length > 0, !(start == 0 && zeroIsRemovedCode) else { continue }
            let (end, overflow) = start.addingReportingOverflow(length)
            if !overflow { claim(start..<end, joined.start(of: start..<end), unit) }
        }
    }

    private mutating func claim(_ range: Range<UInt64>, _ start: UInt64, _ unit: Int) {
        var index = wanted.firstIndex(notBelow: range.lowerBound)
        while index < wanted.count, wanted.values[index] < range.upperBound {
            if units[index] < 0 || unit < units[index] { (units[index], starts[index]) = (unit, start) }
            index += 1
        }
    }
}

/// Joins the ranges of one unit that follow one another without a gap.
struct JoinedRanges {
    private var start: UInt64 = 0
    private var end: UInt64?

    /// - Parameter range: the next one of the unit, as it tells them.
    /// - Returns: where the code begins that ends with it.
    mutating func start(of range: Range<UInt64>) -> UInt64 {
        if end != range.lowerBound { start = range.lowerBound }
        end = range.upperBound
        return start
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
