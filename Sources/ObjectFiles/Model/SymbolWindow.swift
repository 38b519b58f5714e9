package import BinaryPrimitives

/// Where the addresses lie that symbols are looked for, and which symbols can be theirs: those that
/// begin before the last address, and reach to the first or lie nearer before it than any other
/// that was met.
///
/// Of one address, or of some that lie close together, these are few: libjvm has 88,000 symbols,
/// and one that is passed costs a sixth of one that is taken.
package struct SymbolWindow: Sendable {
    private let first: UInt64
    private let last: UInt64
    /// The address of the symbol that begins nearest at or before the first, of those that were
    /// met.
    private var nearest: UInt64 = 0

    /// Every symbol is wanted.
    package static let everywhere = SymbolWindow(first: LinkAddress(0), last: LinkAddress(.max))

    /// - Parameter last: not below `first`.
    package init(first: LinkAddress, last: LinkAddress) {
        self.first = first.value
        self.last = last.value
    }

    /// - Parameter size: bytes; zero if it is not known.
    @inline(__always)
    package func mayHold(_ address: UInt64, _ size: UInt64) -> Bool {
        address <= last && (address >= nearest || size > first &- address)
    }

    /// Notes a symbol that was given.
    @inline(__always)
    package mutating func pass(_ address: UInt64) {
        if address <= first, address > nearest { nearest = address }
    }
}
