internal import BinaryPrimitives

/// Decodes the escapes in a JSON string (RFC 8259, section 7).
package enum JSONEscapes {
    /// Returns the text of a string's bytes whose escapes were found to be right.
    package static func decoded(_ bytes: Span<UInt8>) -> String {
        // A decoded character is never longer than its escape: `\\u20ac` has three bytes.
        unsafe String(unsafeUninitializedCapacity: bytes.count) { target in
            var count = 0
            func add(_ byte: UInt8) {
                unsafe target[count] = byte
                count += 1
            }
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                    add(byte)
                    continue
                }
                let escape = bytes[index]
                index += 1
                switch escape {
                case UInt8(ascii: "n"): add(0x0A)
                case UInt8(ascii: "t"): add(0x09)
                case UInt8(ascii: "r"): add(0x0D)
                case UInt8(ascii: "b"): add(0x08)
                case UInt8(ascii: "f"): add(0x0C)
                case UInt8(ascii: "u"):
                    var scalar = UInt32(unit(bytes, index))
                    index += 4
                    // Outside the basic plane: two units, a high and a low surrogate.
                    if (0xD800...0xDBFF).contains(scalar), index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
                        bytes[index + 1] == UInt8(ascii: "u")
                    {
                        let low = UInt32(unit(bytes, index + 2))
                        index += 6
                        scalar = (0xDC00...0xDFFF).contains(low) ? 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00) : 0xFFFD
                    }
                    for byte in String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8 { add(byte) }
                default: add(escape)
                }
            }
            return count
        }
    }

    private static func unit(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        guard start + 4 <= bytes.count else { return 0xFFFD }
        return (start..<start + 4).reduce(0) { $0 << 4 | UInt16(hexadecimalValue(bytes[$1]) ?? 0) }
    }
}
