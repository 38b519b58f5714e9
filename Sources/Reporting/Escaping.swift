/// Text from a log or a binary, made safe for where it is written.
public enum Escaping {
    /// A JSON string with its quotation marks: `"`, `\` and control characters are escaped (RFC 8259, section 7), everything else is UTF-8 as it is.
    public static func json(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): output += "\\\"".utf8
            case UInt8(ascii: "\\"): output += "\\\\".utf8
            case 0x0a: output += "\\n".utf8
            case 0x0d: output += "\\r".utf8
            case 0x09: output += "\\t".utf8
            case 0..<0x20, 0x7f:
                output += "\\u00".utf8
                output.append(hexadecimalDigit(byte >> 4))
                output.append(hexadecimalDigit(byte & 15))
            default: output.append(byte)
            }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// One line for a terminal: control characters, which could move the cursor or change colours, become `\x1b` and the like, line endings `\n`.
    public static func line(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0a: result += "\\n"
            case 0x0d: result += "\\r"
            case 0x09: result += " "
            case 0..<0x20, 0x7f:
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + (digits.count < 2 ? "0" : "") + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
