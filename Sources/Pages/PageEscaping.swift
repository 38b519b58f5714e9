internal import BinaryPrimitives

/// Text in a page.
package enum PageEscaping {
    /// Text from a log for element content and for attributes in quotation marks, in HTML and in
    /// XML. It cannot end what contains it, and it cannot hide or reorder its neighbours.
    ///
    /// By Unicode scalars, not by characters: U+0600 and the `<` after it are one character, as are
    /// a quotation mark and the accent after it. Browsers do not work by characters.
    package static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { needsCare($0) }) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                // XML has no such characters, escaped or not; in HTML they are errors.
                let isNone = (0xFDD0...0xFDEF).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
                result += isNone ? "\\u{" + String(scalar.value, radix: 16) + "}" : PlainText.line(String(scalar))
            }
        }
        return result
    }

    /// Anything but plain ASCII, controls, and what has a meaning in HTML.
    private static func needsCare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): true
        default: byte < 0x20 || byte >= 0x7F
        }
    }
}
