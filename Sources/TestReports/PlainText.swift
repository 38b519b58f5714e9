/// Text from a log, made harmless for people who read it: nothing in it moves a cursor, hides, or turns round what stands beside it.
package enum PlainText {
    /// Characters that change how their neighbours look instead of being seen: C0 and C1 controls, line and paragraph separators, and those that set the direction of
    /// writing (Unicode's Bidi_Control), with which source and logs have been made to read otherwise than they are.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x2028, 0x2029, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF, 0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// One line: line endings become `\n`, tabs spaces, what is unsafe `\u{1b}`.
    package static func line(_ text: String, limit: Int = .max) -> String { harmless(text, keepsLines: false, limit: limit) }

    /// Several lines, which end with `\n` each but the last.
    static func lines(_ text: String, limit: Int = .max) -> String { harmless(text, keepsLines: true, limit: limit) }

    /// - Parameter limit: bytes of UTF-8 after which an ellipsis stands for the rest.
    private static func harmless(_ text: String, keepsLines: Bool, limit: Int) -> String {
        var result = ""
        var length = 0
        var isAfterReturn = false
        for scalar in text.unicodeScalars {
            let isReturn = scalar == "\r"
            defer { isAfterReturn = isReturn }
            let piece: String
            switch scalar {
            case "\n":
                // `\r\n` is one line ending.
                if isAfterReturn { continue }
                piece = keepsLines ? "\n" : "\\n"
            case "\r": piece = keepsLines ? "\n" : "\\n"
            case "\t": piece = keepsLines ? "    " : " "
            default: piece = isUnsafe(scalar) ? "\\u{" + String(scalar.value, radix: 16) + "}" : String(scalar)
            }
            length += piece.utf8.count
            guard length <= limit - 3 || limit == .max else { return result + "…" }
            result += piece
        }
        return result
    }

    /// Columns of a terminal: two for what East Asian text and pictures take (Unicode's East_Asian_Width W and F, by block), none for marks that combine.
    package static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
            0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }

    /// The name of a rule: letters, digits, `.`, `_` and `-`, whatever else it was made of.
    static func slug(_ text: String, limit: Int = 64) -> String {
        var result = ""
        for byte in text.utf8 {
            guard result.utf8.count < limit else { break }
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."),
                UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: if !result.isEmpty, result.utf8.last != UInt8(ascii: "-") { result += "-" }
            }
        }
        while result.utf8.last == UInt8(ascii: "-") { result.removeLast() }
        return result
    }
}
