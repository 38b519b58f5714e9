package import BinaryPrimitives

/// Range of the addresses to look up, and a test of which symbols can be theirs: those that begin
/// before an address, and either reach to it or begin nearer to it than any symbol seen before.
///
/// These are few of the 88,000 symbols that libjvm has, or of the 461,000 of a program of swiftc.
package struct SymbolWindow: Sendable {
    private let first: UInt64
    private let last: UInt64
    /// Address of the symbol that begins nearest at or before the first address, among the symbols
    /// seen so far.
    private var nearest: UInt64 = 0
    /// The addresses to look up, if not all from the first to the last.
    private let wanted: SortedAddresses?
    /// For each wanted address the same as `nearest`, among the symbols that begin after the wanted
    /// address before it.
    private var nearestOfEach: [UInt64] = []

    /// Every symbol is wanted.
    package static let everywhere = SymbolWindow(first: LinkAddress(0), last: LinkAddress(.max))

    /// All addresses of a range.
    /// - Parameter last: not below `first`.
    package init(first: LinkAddress, last: LinkAddress) {
        self.first = first.value
        self.last = last.value
        wanted = nil
    }

    /// Some addresses.
    package init(_ wanted: SortedAddresses) {
        first = wanted.values.first ?? 0
        last = wanted.values.last ?? 0
        self.wanted = wanted.count > 1 ? wanted : nil
        nearestOfEach = [UInt64](repeating: 0, count: wanted.count)
    }

    /// The addresses to look up, ascending; `nil` for every address there is.
    var ranges: [ClosedRange<UInt64>]? {
        if let wanted { return wanted.values.map { $0...$0 } }
        return first == 0 && last == .max ? nil : [first...max(first, last)]
    }

    /// - Parameter size: bytes; zero if it is not known.
    @inline(__always)
    package func mayHold(_ address: UInt64, _ size: UInt64) -> Bool {
        // `nearest...last` as one comparison: both halves are then rarely true, and in a table that
        // is in no order `address <= last` alone is guessed wrong every other time.
        guard address &- nearest <= last &- nearest || size > first &- address else { return false }
        guard let wanted else { return true }
        let index = wanted.firstIndex(notBelow: address)
        return index < wanted.count && (address >= nearestOfEach[index] || size > wanted.values[index] &- address)
    }

    /// Notes a symbol that was given.
    @inline(__always)
    package mutating func pass(_ address: UInt64) {
        if address <= first, address > nearest { nearest = address }
        guard let wanted else { return }
        let index = wanted.firstIndex(notBelow: address)
        if index < wanted.count, address > nearestOfEach[index] { nearestOfEach[index] = address }
    }
}
