/// Numbers as people type them.
package enum Numbers {
    /// `0x1a2b` is hexadecimal, `6805` decimal; digits that are only hexadecimal ones (`1a2b`) are
    /// that too.
    package static func address(_ text: some StringProtocol) -> UInt64? {
        hexadecimalWithPrefix(text) ?? unsigned(text, radix: 10) ?? unsigned(text, radix: 16)
    }

    /// Hexadecimal with or without `0x`.
    package static func hexadecimal(_ text: some StringProtocol) -> UInt64? { hexadecimalWithPrefix(text) ?? unsigned(text, radix: 16) }

    private static func hexadecimalWithPrefix(_ text: some StringProtocol) -> UInt64? {
        guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return nil }
        return unsigned(text.dropFirst(2), radix: 16)
    }

    /// Without the sign that `UInt64.init` would take.
    private static func unsigned(_ text: some StringProtocol, radix: Int) -> UInt64? {
        text.first == "+" || text.first == "-" ? nil : UInt64(text, radix: radix)
    }
}

extension UInt64 {
    /// Hexadecimal digits without a prefix, filled with zeros to `width`.
    package func hexadecimal(width: Int = 1) -> String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
