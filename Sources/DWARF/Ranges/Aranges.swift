internal import BinaryPrimitives
internal import ObjectFiles

/// Which units `.debug_aranges` names for some addresses. Compilers may leave units out, so that an
/// address that is not found here may still be covered.
struct Aranges {
    /// For each wanted address the offset of a unit that claims it, or -1.
    ///
    /// Several units may claim an address (each was compiled with a copy of a function, of which
    /// the linker kept one): the first in the file is taken, as LLVM does.
    private(set) var units: [Int]
    /// For each wanted address where the code begins that the unit claims around it without a gap.
    private(set) var starts: [UInt64]
    /// The units that have a set of their own, whether or not it is complete.
    private(set) var described = DescribedUnits()
    private let wanted: SortedAddresses
    /// The least and the greatest wanted address.
    private let first: UInt64
    private let last: UInt64
    /// The ranges of the set that is being read.
    private var joined = JoinedRanges()

    /// - Parameter wanted: addresses, ascending.
    init(_ sections: DWARFSections, wanted: [UInt64], _ buffer: ReadBuffer) {
        self.wanted = SortedAddresses(wanted)
        (first, last) = (wanted.first ?? .max, wanted.last ?? 0)
        units = [Int](repeating: -1, count: wanted.count)
        starts = [UInt64](repeating: 0, count: wanted.count)
        AddressRangeTable(sections).read(buffer, &self)
        described.sort()
    }
}

extension Aranges: AddressRangeVisitor {
    mutating func describe(unit: Int) {
        described.add(unit)
        joined = JoinedRanges()
    }

    @inline(__always)
    mutating func claim(_ range: Range<UInt64>, unit: Int) {
        let start = joined.start(of: range)
        // Most ranges have nothing to do with one address.
        if range.upperBound > first, range.lowerBound <= last { append(range, start, unit) }
    }

    private mutating func append(_ range: Range<UInt64>, _ start: UInt64, _ unit: Int) {
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

    /// - Parameter range: the next one of the unit, in the unit's order.
    /// - Returns: where the code begins that ends with it.
    mutating func start(of range: Range<UInt64>) -> UInt64 {
        if end != range.lowerBound { start = range.lowerBound }
        end = range.upperBound
        return start
    }
}

extension [UInt64] {
    /// In an ascending array, the index of the first element that is not below `value`; `count` if
    /// all are.
    func firstIndex(notBelow value: UInt64) -> Int {
        (0..<count).partitionPoint { self[$0] >= value }
    }
}

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

    /// The offsets, ascending, after `sort`.
    var ascending: [Int] { offsets }

    func contains(_ unit: Int) -> Bool {
        let low = offsets.partitionPoint { $0 >= unit }
        return low < offsets.count && offsets[low] == unit
    }
}
