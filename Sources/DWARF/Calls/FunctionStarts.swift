/// The first addresses of a unit's functions by their entries: a hash table with open addressing, because a large unit has some ten
/// thousand functions, and a call looks for one of them.
struct FunctionStarts {
    /// Offsets of entries, in bytes from the unit's header; 0: the slot is free.
    private var entries = [Int](repeating: 0, count: 1 << 8)
    private var starts = [UInt64](repeating: 0, count: 1 << 8)
    private var count = 0
    /// A shift that leaves as many bits as a slot's number has.
    private var shift: UInt64 = 56

    /// A file cannot know which of its offsets share a slot (Dietzfelbinger and others, A reliable randomized algorithm for the closest-pair
    /// problem, section 2).
    private static let multiplier = UInt64.random(in: .min ... .max) | 1

    /// Sets the first address of an entry; an earlier one is replaced.
    /// - Parameter entry: bytes from the unit's header; no entry is at 0.
    mutating func keep(_ start: UInt64, of entry: Int) {
        guard entry > 0 else { return }
        let slot = slot(of: entry)
        starts[slot] = start
        guard entries[slot] == 0 else { return }
        entries[slot] = entry
        count &+= 1
        if count &* 2 > entries.count { grow() }
    }

    /// - Returns: `nil` for an entry that has none.
    func start(of entry: Int) -> UInt64? {
        let slot = slot(of: entry)
        return entries[slot] != 0 ? starts[slot] : nil
    }

    /// Gives all to `body`, in no order.
    func forEach(_ body: (_ entry: Int, _ start: UInt64) -> Void) {
        for (entry, start) in zip(entries, starts) where entry != 0 { body(entry, start) }
    }

    /// The slot of an entry, or the free one where it would be.
    @inline(__always)
    private func slot(of entry: Int) -> Int {
        let mask = entries.count &- 1
        var slot = Int(truncatingIfNeeded: (UInt64(truncatingIfNeeded: entry) &* Self.multiplier) >> shift)
        while entries[slot] != 0, entries[slot] != entry { slot = (slot &+ 1) & mask }
        return slot
    }

    private mutating func grow() {
        let (oldEntries, oldStarts) = (entries, starts)
        entries = [Int](repeating: 0, count: oldEntries.count * 2)
        starts = [UInt64](repeating: 0, count: oldEntries.count * 2)
        (count, shift) = (0, shift - 1)
        for (entry, start) in zip(oldEntries, oldStarts) where entry != 0 { keep(start, of: entry) }
    }
}
