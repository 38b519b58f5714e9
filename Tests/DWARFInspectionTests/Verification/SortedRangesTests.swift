import Testing

@testable import DWARFInspection

/// Ranges of addresses that overlap, found one after the other, beside a search through all.
struct SortedRangesTests {
    @Test(
        arguments: [
            (0, 10, 10, 20, false), (0, 10, 9, 20, true), (5, 6, 0, 10, true), (0, 10, 0, 10, true), (0, 10, 20, 30, false),
            // Empty ranges share nothing.
            (5, 5, 0, 10, false), (0, 10, 5, 5, false), (0, 0, 0, 0, false),
        ] as [(UInt64, UInt64, UInt64, UInt64, Bool)])
    func `half-open ranges overlap where they share a byte`(low: UInt64, high: UInt64, otherLow: UInt64, otherHigh: UInt64, shares: Bool) {
        let (one, other) = (RangeLists.Bounds(low: low, high: high), RangeLists.Bounds(low: otherLow, high: otherHigh))
        #expect(SortedRanges.overlap(one, other) == shares && SortedRanges.overlap(other, one) == shares)
    }

    /// Two thousand functions of sixteen bytes, in three orders: more than one piece holds.
    @Test(arguments: [1, 1999, 777]) func `ranges stay in order, whatever order they come in`(step: UInt64) {
        var ranges = SortedRanges()
        let count: UInt64 = 2000
        for index in 0..<count {
            let low = index * step % count * 16
            #expect(ranges.insert(RangeLists.Bounds(low: low, high: low + 16), owner: Int(low)) == nil)
        }
        #expect(ranges.all.map(\.bounds.low) == (0..<count).map { $0 * 16 })
        // Every one of them is found again by a byte in it.
        for low in stride(from: 0, to: count * 16, by: 16 * 97) {
            let found = ranges.insert(RangeLists.Bounds(low: low + 3, high: low + 4), owner: -1)
            #expect(found?.low == low && found?.high == low + 16)
        }
    }

    @Test func `ranges that overlap become one`() {
        var ranges = SortedRanges()
        #expect(ranges.isEmpty)
        _ = ranges.insert(RangeLists.Bounds(low: 10, high: 20), owner: 1)
        #expect(ranges.insert(RangeLists.Bounds(low: 15, high: 30), owner: 2)?.high == 20)
        #expect(ranges.all.map { [$0.bounds.low, $0.bounds.high] } == [[10, 30]] && !ranges.isEmpty)
    }
}
