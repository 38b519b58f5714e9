import Testing

@testable import SymbolSources

struct KeySetTests {
    /// More than one table's worth, of all sizes, most of them twice.
    @Test(arguments: [0, 1, 2, 5_000, 200_000]) func `keys are given once, ascending`(count: Int) {
        var keys = KeySet()
        var state: UInt64 = 42
        var inserted: Set<UInt32> = []
        for _ in 0..<count {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let key = max(1, UInt32(truncatingIfNeeded: state >> 33) >> UInt32(state >> 60))
            keys.insert(key)
            keys.insert(key)
            inserted.insert(key)
        }
        #expect(keys.count == inserted.count)
        #expect(keys.sortedKeys == inserted.sorted())
    }

    @Test func `the largest and the least are in their places`() {
        var keys = KeySet()
        for key in [UInt32.max, 1, 1 << 11, 1 << 22, 1 << 31, 0x7ff, 0x800] { keys.insert(key) }
        #expect(keys.sortedKeys == [1, 0x7ff, 0x800, 1 << 22, 1 << 31, .max])
    }
}
