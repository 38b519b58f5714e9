/// Text as a string of a JSON document (RFC 8259, section 7).
package enum JSONString {
    /// Appends the string with its quotation marks.
    ///
    /// A reader gets the original text back. In the document itself no character is a command to a
    /// terminal, reverses its neighbours, or ends a line in JavaScript: unsafe characters
    /// (`PlainText`) are escaped. So is a `#` after another (`##[…]` is a command where services
    /// show the output).
    package static func append(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if appendPlain(text, to: &output) {
            output.append(UInt8(ascii: "\""))
            return
        }
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            var before: UInt8 = 0
            for byte in text.utf8 {
                append(byte, behind: before, to: &output)
                before = byte
            }
        } else {
            var before: UInt8 = 0
            for scalar in text.unicodeScalars {
                if scalar.isASCII {
                    let byte = UInt8(truncatingIfNeeded: scalar.value)
                    append(byte, behind: before, to: &output)
                    before = byte
                } else {
                    before = 0
                    // Some readers refuse noncharacters, of which each plane has two.
                    if PlainText.isUnsafe(scalar) || scalar.value & 0xFFFE == 0xFFFE {
                        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { append(unit: unit, to: &output) }
                    } else {
                        output += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
                    }
                }
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Appends a text without characters to escape, as most are, in one piece.
    /// - Returns: whether it is one.
    private static func appendPlain(_ text: String, to output: inout [UInt8]) -> Bool {
        let start = output.count
        output += text.utf8
        guard !isPlain(output.span.extracting(start...)) else { return true }
        output.removeSubrange(start...)
        return false
    }

    private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "#"), 0..<0x20, 0x7F...: return false
            default: break
            }
        }
        return true
    }

    /// The string with its quotation marks.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, behind before: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): output += "\\\"".utf8
        case UInt8(ascii: "\\"): output += "\\\\".utf8
        case 0x0A: output += "\\n".utf8
        case 0x0D: output += "\\r".utf8
        case 0x09: output += "\\t".utf8
        case 0..<0x20, 0x7F: append(unit: UInt16(byte), to: &output)
        case UInt8(ascii: "#") where before == byte: append(unit: UInt16(byte), to: &output)
        default: output.append(byte)
        }
    }

    /// A unit of UTF-16 by its number.
    private static func append(unit: UInt16, to output: inout [UInt8]) {
        output += "\\u".utf8
        for shift in [12, 8, 4, 0] { output.append(hexadecimalDigit(UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 15)) }
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
