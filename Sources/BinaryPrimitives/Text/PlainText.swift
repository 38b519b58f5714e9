/// Text from a log or a file, made safe for display. It cannot move a cursor, hide, reorder its
/// neighbours, or be a command to the service whose console shows it.
package enum PlainText {
    /// Characters that change how their neighbours look instead of being seen: C0 and C1 controls,
    /// line and paragraph separators, those that set the direction of writing (Unicode's
    /// Bidi_Control), with which source and logs have been made to read otherwise than they are,
    /// and those without a width or a look of their own. What joins and separates letters in
    /// scripts and pictures (U+200C, U+200D, variation selectors) is text.
    package static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
            0xE0000...0xE007F:
            true
        default: false
        }
    }

    /// One line: line endings become `
    /// `, tabs spaces, unsafe characters `\u{1b}`.
    ///
    /// An escape also breaks commands to services, wherever the text may be. `##[`, `##vso[` and
    /// `##teamcity[` (Azure, older runners of GitHub, TeamCity) work anywhere in a line. `::error`
    /// works at a line's beginning (GitHub), and lines are folded at blanks: it is broken at the
    /// text's beginning and after a blank.
    /// - Parameter limit: bytes of UTF-8 after which an ellipsis replaces the rest.
    package static func line(_ text: String, limit: Int = .max) -> String {
        isPlain(text) && (limit == .max || text.utf8.count <= limit - 3) ? text : harmless(text, keepsLines: false, limit: limit)
    }

    /// Several lines, which end with `\n` each but the last.
    /// - Parameter staysInLine: for documents in which a line end does not end a line, so that no
    ///   line of a console can begin with a command there (`::error`): it is not escaped.
    package static func lines(_ text: String, limit: Int = .max, staysInLine: Bool = false) -> String {
        harmless(text, keepsLines: true, staysInLine: staysInLine, limit: limit)
    }

    /// Whether nothing has to be looked at twice: most names.
    private static func isPlain(_ text: String) -> Bool {
        var before = UInt8(ascii: " ")
        for byte in text.utf8 {
            if byte < 0x20 || byte >= 0x7F { return false }
            if byte == UInt8(ascii: "#"), before == byte { return false }
            if byte == UInt8(ascii: ":"), before == UInt8(ascii: " ") { return false }
            before = byte
        }
        return true
    }

    private static func harmless(_ text: String, keepsLines: Bool, staysInLine: Bool = false, limit: Int) -> String {
        var result = ""
        var length = 0
        var before: Unicode.Scalar = "\n"
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            let scalar = scalars[index]
            scalars.formIndex(after: &index)
            let last = before
            before = scalar
            let piece: String
            switch scalar {
            case "\n":
                // `\r\n` is one line ending.
                if last == "\r" { continue }
                piece = keepsLines ? "\n" : "\\n"
            case "\r": piece = keepsLines ? "\n" : "\\n"
            case "\t": piece = keepsLines ? "    " : " "
            case "#" where last == "#" && endsName(scalars[index...], with: "["): piece = escape(scalar)
            case ":" where !staysInLine && last.properties.isWhitespace && startsCommand(scalars[index...]): piece = escape(scalar)
            default: piece = isUnsafe(scalar) ? escape(scalar) : String(scalar)
            }
            length += piece.utf8.count
            guard length <= limit - 3 || limit == .max else { return result + "…" }
            result += piece
        }
        return result
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{" + String(scalar.value, radix: 16) + "}" }

    /// Whether letters, or none, are followed by this.
    private static func endsName(_ rest: Substring.UnicodeScalarView, with end: Unicode.Scalar) -> Bool {
        rest.first { !isLetter($0) } == end
    }

    private static func startsCommand(_ rest: Substring.UnicodeScalarView) -> Bool {
        rest.first == ":" && rest.dropFirst().first.map(isLetter) ?? false
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.properties.isAlphabetic }

    /// Columns of a terminal: two for what East Asian text and pictures take (Unicode's
    /// East_Asian_Width W and F, by block), none for marks that combine.
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
}
