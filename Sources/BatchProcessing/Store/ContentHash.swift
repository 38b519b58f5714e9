internal import BinaryPrimitives

/// Which bytes a log has: their SHA-256 (FIPS 180-4). Two files with one hash are one log.
package struct ContentHash: Sendable, Hashable {
    /// 32 of them.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// 64 hexadecimal digits, as `sha256sum` writes them.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    /// - Returns: `nil` for anything but 64 hexadecimal digits.
    package init?(hexadecimal: String) {
        let digits = hexadecimal.utf8.compactMap { hexadecimalValue($0) }
        guard digits.count == 64, hexadecimal.utf8.count == 64 else { return nil }
        bytes = (0..<32).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
    }

    /// The first 63 bits, for a table's key: the chance that two of ten million logs share them is
    /// 5 in a million, and the store refuses the second then.
    package var number: Int64 { Self.number(bytes) }

    private static func number(_ bytes: [UInt8]) -> Int64 {
        Int64(truncatingIfNeeded: bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1)
    }
}

extension ContentHash {
    /// A key for something that a text says whole.
    static func number(of text: String) -> Int64 { number(of: Array(text.utf8)) }

    /// The same of a text's bytes.
    static func number(of text: [UInt8]) -> Int64 {
        var hasher = ContentHasher()
        hasher.update(text)
        return hasher.finish().number
    }
}

/// Hashes a log's bytes as they come.
struct ContentHasher {
    private var hasher = SHA256()

    mutating func update(_ bytes: [UInt8]) { hasher.update(bytes) }

    func finish() -> ContentHash { ContentHash(bytes: hasher.finish()) }
}
