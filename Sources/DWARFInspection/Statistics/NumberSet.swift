/// A set of numbers, for millions of them: one array, which doubles when it is three quarters full.
///
/// Files decide which numbers come, so a number's position depends on a secret that is another in every run.
struct NumberSet {
    private var places: [UInt64]
    /// Zero marks a free place.
    private var hasZero = false
    private var used = 0
    private let secret = UInt64.random(in: 1...UInt64.max)

    init() { places = [UInt64](repeating: 0, count: 1024) }

    var count: Int { used + (hasZero ? 1 : 0) }

    /// In no order.
    var all: [UInt64] { places.filter { $0 != 0 } + (hasZero ? [0] : []) }

    func has(_ number: UInt64) -> Bool { number == 0 ? hasZero : freePlace(number) == nil }

    /// - Returns: whether the number is new.
    @discardableResult
    mutating func insert(_ number: UInt64) -> Bool {
        guard number != 0 else {
            defer { hasZero = true }
            return !hasZero
        }
        if used >= places.count / 4 * 3 { grow() }
        guard let place = freePlace(number) else { return false }
        places[place] = number
        used += 1
        return true
    }

    /// - Returns: `nil` if the number is there.
    private func freePlace(_ number: UInt64) -> Int? {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: mixed(number)) & mask
        while places[place] != 0 {
            if places[place] == number { return nil }
            place = (place + 1) & mask
        }
        return place
    }

    /// Multiplied and folded twice, so that every bit reaches the low ones.
    private func mixed(_ number: UInt64) -> UInt64 {
        let first = (number ^ secret).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        let second = (first.high ^ first.low).multipliedFullWidth(by: secret | 1)
        return second.high ^ second.low
    }

    private mutating func grow() {
        let old = places
        places = [UInt64](repeating: 0, count: old.count * 2)
        for number in old where number != 0 { if let place = freePlace(number) { places[place] = number } }
    }
}
