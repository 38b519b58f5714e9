/// A set of numbers, for millions of them: one array, which doubles when it is three quarters full.
///
/// Files decide which numbers come, so a number's position depends on a secret that is another in every run.
struct NumberSet {
    private var slots: [UInt64]
    /// Zero marks a free slot.
    private var hasZero = false
    private var used = 0
    private let secret = UInt64.random(in: 1...UInt64.max)

    init() { slots = [UInt64](repeating: 0, count: 1024) }

    var count: Int { used + (hasZero ? 1 : 0) }

    /// In no order.
    var all: [UInt64] { slots.filter { $0 != 0 } + (hasZero ? [0] : []) }

    func has(_ number: UInt64) -> Bool { number == 0 ? hasZero : freeSlot(number) == nil }

    /// - Returns: whether the number is new.
    @discardableResult
    mutating func insert(_ number: UInt64) -> Bool {
        guard number != 0 else {
            defer { hasZero = true }
            return !hasZero
        }
        if used >= slots.count / 4 * 3 { grow() }
        guard let slot = freeSlot(number) else { return false }
        slots[slot] = number
        used += 1
        return true
    }

    /// - Returns: `nil` if the number is there.
    private func freeSlot(_ number: UInt64) -> Int? {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: mixed(number)) & mask
        while slots[slot] != 0 {
            if slots[slot] == number { return nil }
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// Multiplied and folded twice, so that every bit reaches the low ones.
    private func mixed(_ number: UInt64) -> UInt64 {
        let first = (number ^ secret).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        let second = (first.high ^ first.low).multipliedFullWidth(by: secret | 1)
        return second.high ^ second.low
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        for number in old where number != 0 { if let slot = freeSlot(number) { slots[slot] = number } }
    }
}
