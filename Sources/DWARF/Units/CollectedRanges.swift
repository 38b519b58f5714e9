internal import BinaryPrimitives
internal import ObjectFiles

/// Addresses of code. (Not `Range`: before the first array of those the runtime looks through all
/// conformances of the program for its bound's.)
struct AddressRange {
    var start: UInt64
    /// After the last.
    var end: UInt64
}

/// The ranges that attributes and lists give, and how many entries of lists may still be read for
/// them.
///
/// Any number of functions may name one list, and lists may lie in one another, so that reading
/// each could cost the square of the file's size. What compilers write is read once or twice: a few
/// times as many entries as the section has bytes are more than that ever needs.
struct CollectedRanges {
    var ranges: [AddressRange] = []
    private var entriesLeft: Int
    /// How many entries were read since `forgetEntries`.
    private(set) var entriesRead = 0

    /// - Parameter sectionSize: the bytes of the sections that the lists are in.
    init(sectionSize: Int) { entriesLeft = 4 * min(sectionSize, Int.max / 8) }

    /// Counts an entry that is about to be read.
    /// - Returns: whether it may be.
    mutating func countEntry() -> Bool {
        guard entriesLeft > 0 else { return false }
        entriesLeft &-= 1
        entriesRead &+= 1
        return true
    }

    /// Begins to count anew.
    mutating func forgetEntries() { entriesRead = 0 }

    /// Makes room for the next function's ranges.
    mutating func removeAll() {
        // One by one: a function has few, and `removeAll(keepingCapacity:)` is a call of sixty
        // instructions.
        while !ranges.isEmpty { ranges.removeLast() }
    }
}

extension DWARFSections {
    fileprivate var rangeListsSize: Int {
        [Name.ranges, .rnglists].reduce(0) { sum, name in sum + ((try? contents(name))?.count ?? 0) }
    }

    /// For the lists of all units' root entries.
    func collectedRanges() -> CollectedRanges { CollectedRanges(sectionSize: rangeListsSize) }
}

extension Unit {
    /// For the lists of the unit's functions. Those of a split unit may be in the linked file.
    func collectedRanges() -> CollectedRanges {
        CollectedRanges(sectionSize: sections.rangeListsSize + (skeleton?.sections.rangeListsSize ?? 0))
    }
}

extension [Range<UInt64>] {
    /// Whether any of these has an address in common with a range.
    ///
    /// They are ascending, none over another.
    func overlap(_ range: Range<UInt64>) -> Bool {
        let low = (0..<count).partitionPoint { self[$0].upperBound > range.lowerBound }
        return low < count && self[low].lowerBound < range.upperBound
    }
}
