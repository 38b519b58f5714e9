/// What happens to logs that people paste: each kind is a function from a log to what is left of it.
enum DamageKind: String, CaseIterable, Sendable {
    case oneBlank, fourBlanks, tab, quote, word, carriageReturns
    case paragraphs, preformatted, divisions, breaksAlone, forumCode
    case hardBlanks, dashes, emptyLines, quotedPrintable, jsonString

    func damaged(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        switch self {
        case .oneBlank: return Self.prefixed(lines, " ")
        case .fourBlanks: return "It crashed:\n\n" + Self.prefixed(lines, "    ") + "\n\nAny idea?\n"
        case .tab: return Self.prefixed(lines, "\t")
        case .quote: return "On Wed, somebody wrote:\n" + Self.prefixed(lines, "> ")
        case .word: return Self.prefixed(lines, "info:  ")
        case .carriageReturns: return lines.joined(separator: "\r\n")
        case .paragraphs:
            // As Markdown and editors of forums make them: an empty line ends a paragraph, a line end is a break.
            let inner = lines.map(Self.escaped).reduce(into: "") { $0 += $1.isEmpty ? "</p><br>\n<p>" : $1 + "<br>\n" }
            return "<p>It crashed on start.</p>\n<p>" + inner + "</p>\n<p>Also there is no icon.</p>\n"
        case .preformatted:
            return "<p>Log:</p>\n<pre><code class=\"lang-auto\">" + lines.map(Self.escaped).joined(separator: "\n") + "</code></pre>\n"
        case .divisions: return lines.map { "<div>" + Self.escaped($0) + "</div>" }.joined(separator: "\n") + "\n"
        case .breaksAlone: return "<html><body>" + lines.map(Self.escaped).joined(separator: "<br/>") + "</body></html>\n"
        case .forumCode: return "See below.\n[code]" + text + "[/code]\n"
        case .hardBlanks: return text.replacing("  ", with: "\u{A0} ")
        case .dashes: return text.replacing(" - ", with: " \u{2013} ").replacing("'", with: "\u{2019}")
        case .emptyLines: return lines.map { $0 + "\n\n" }.joined()
        case .quotedPrintable: return lines.map(Self.quotedPrintable).joined(separator: "\n")
        case .jsonString:
            return "{\n  \"id\": 7,\n  \"log\": \"" + Self.jsonEscaped(text) + "\",\n  \"more\": true\n}\n"
        }
    }

    private static func prefixed(_ lines: [String], _ prefix: String) -> String { lines.map { prefix + $0 }.joined(separator: "\n") }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// RFC 2045, section 6.7: at most 76 characters a line.
    private static func quotedPrintable(_ line: String) -> String {
        var result = ""
        var width = 0
        for byte in line.utf8 {
            var piece = String(Unicode.Scalar(byte))
            if byte >= 0x7F || byte == 0x3D || byte < 0x20 && byte != 0x09 {
                piece = "=" + (byte < 16 ? "0" : "") + String(byte, radix: 16).uppercased()
            }
            if width + piece.utf8.count > 75 {
                result += "=\n"
                width = 0
            }
            result += piece
            width += piece.utf8.count
        }
        return result
    }

    private static func jsonEscaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            default:
                if scalar.value < 0x20 {
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
