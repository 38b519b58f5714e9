/// Text as XML may hold it.
package enum XMLCharacters {
    /// Whether XML 1.0 has the character at all, escaped or not (section 2.2, `Char`).
    static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// With U+FFFD in the place of what is not UTF-8, or not allowed.
    package static func cleaned(_ bytes: [UInt8]) -> String { cleaned(String(decoding: bytes, as: UTF8.self)) }

    static func cleaned(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { !isAllowed($0) }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isAllowed($0) ? $0 : "\u{FFFD}" }))
    }

    /// For element content and attributes in double quotes.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in cleaned(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            case "\r": result += "&#13;"
            case "\t": result += "&#9;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// For element content that keeps its lines.
    static func content(_ text: String) -> String {
        var result = ""
        for scalar in cleaned(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\r": result += "&#13;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
