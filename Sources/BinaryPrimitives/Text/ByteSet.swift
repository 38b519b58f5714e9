/// Some of the bytes below 128, as a mask: marks of a grammar, for which each byte of a text is
/// looked up.
package struct ByteSet: Sendable {
    private let bits: UInt128

    /// - Parameter text: its bytes; those from 128 on are left out.
    package init(_ text: String) { bits = text.utf8.reduce(0) { $1 < 128 ? $0 | 1 << UInt128($1) : $0 } }

    package func contains(_ byte: UInt8) -> Bool { byte < 128 && bits >> UInt128(byte) & 1 != 0 }
}
