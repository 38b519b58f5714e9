/// A set of names' keys (a hash table with open addressing): a large file has some million calls of
/// some ten thousand names.
struct KeySet: Sendable {
    private var slots = [UInt32](repeating: 0, count: 1 << 12)
    private(set) var count = 0

    /// - Parameter key: never 0.
    @inline(__always)
    mutating func insert(_ key: UInt32) {
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: key &* 2_654_435_769) & mask
        while slots[slot] != 0 {
            if slots[slot] == key { return }
            slot = (slot &+ 1) & mask
        }
        slots[slot] = key
        count &+= 1
        if count * 2 > slots.count { grow() }
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count * 2)
        count = 0
        for key in old where key != 0 { insert(key) }
    }

    /// In no order.
    var keys: [UInt32] { slots.filter { $0 != 0 } }

    /// Ascending: sorted by their lowest 11 bits, then by the next, then by the rest (radix sort).
    /// Nothing is compared, so that a million keys are three passes.
    var sortedKeys: [UInt32] {
        var keys = keys
        var sorted = [UInt32](repeating: 0, count: keys.count)
        for shift: UInt32 in [0, 11, 22] {
            var positions = [Int](repeating: 0, count: 1 << 11)
            for key in keys { positions[Int(key >> shift & 0x7ff)] += 1 }
            var next = 0
            for digit in positions.indices { (positions[digit], next) = (next, next + positions[digit]) }
            for key in keys {
                let digit = Int(key >> shift & 0x7ff)
                sorted[positions[digit]] = key
                positions[digit] += 1
            }
            swap(&keys, &sorted)
        }
        return keys
    }
}
