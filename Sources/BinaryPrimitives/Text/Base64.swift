/// Bytes as letters (RFC 4648, section 4).
package enum Base64 {
    /// - Returns: the letters of the bytes, padded to a multiple of four.
    package static func encoded(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let piece = bytes[start..<min(start + 3, bytes.count)]
            let bits = piece.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - piece.count))
            for index in 0..<4 { text.append(index <= piece.count ? letters[bits >> (18 - 6 * index) & 63] : "=") }
        }
        return text
    }

    /// Blanks, line breaks and padding are passed over wherever they are: some writers break lines,
    /// some leave the padding out.
    /// - Parameter isStrict: any other byte is wrong; if not, it is passed over, too.
    /// - Returns: `nil` for invalid text.
    package static func decoded(_ text: Span<UInt8>, isStrict: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var (bits, count): (UInt32, Int) = (0, 0)
        for index in 0..<text.count {
            let value: UInt8
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = text[index] - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = text[index] - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = text[index] - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="), 0x20, 0x09, 0x0A, 0x0D: continue
            default:
                if isStrict { return nil }
                continue
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // One letter is less than a byte.
        return isStrict && count == 6 ? nil : bytes
    }
}
