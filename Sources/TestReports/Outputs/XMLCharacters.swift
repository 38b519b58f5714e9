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

    /// For attributes in double quotes; in element content, where nothing may break a line.
    static func escaped(_ text: String) -> String {
        replaced(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"])
    }

    /// For element content that keeps its lines.
    static func content(_ text: String) -> String { replaced(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"]) }

    private static func replaced(_ text: String, _ references: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in cleaned(text).unicodeScalars {
            if let reference = references[scalar] { result += reference } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
