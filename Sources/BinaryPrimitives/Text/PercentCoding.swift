/// Escapes in URLs (RFC 3986, section 2.1): `c%2Bd` is `c+d`.
package enum PercentCoding {
    /// A text without its escapes.
    /// - Returns: `nil` for half an escape, and for a zero byte, which no file's name has.
    package static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let high = rest.popFirst().flatMap(hexadecimalValue), let low = rest.popFirst().flatMap(hexadecimalValue) {
                bytes.append(high << 4 | low)
            } else {
                return nil
            }
        }
        return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// A text with an escape for each byte that is not a letter, a digit or one of `-._~` (RFC 3986, section 2.3: "unreserved").
    /// Amazon's signatures ask for the same escapes.
    /// - Parameter isPath: slashes stay as they are.
    package static func encoded(_ text: some StringProtocol, isPath: Bool = false) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where isPath: bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}
