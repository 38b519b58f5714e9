/// The name that Microsoft's symbol servers have for a PE image: eight digits of its timestamp, then its size in memory
/// ("SymSrv", `4BA9B29C180000`).
package enum CodeIdentifier {
    package static func text(timestamp: UInt32, size: UInt32) -> String {
        let digits = String(timestamp, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.count) + digits + String(size, radix: 16)
    }

    /// The one spelling of an identifier in any letters: the timestamp in capitals, the size in small ones.
    /// - Returns: `nil` for a text that is none.
    package static func read(_ text: String) -> String? {
        guard (9...16).contains(text.utf8.count), text.utf8.allSatisfy({ hexadecimalValue($0) != nil }) else { return nil }
        return text.prefix(8).uppercased() + text.dropFirst(8).lowercased()
    }
}
