/// Damage to logs that people paste: each kind is a function from a log to the damaged log.
enum DamageKind: String, CaseIterable, Sendable {
    case oneBlank, fourBlanks, tab, quote, word, carriageReturns
    case paragraphs, preformatted, divisions, breaksAlone, forumCode
    case hardBlanks, dashes, emptyLines, quotedPrintable, jsonString
    case tabsLost, tabsExpanded, wrappedMail, flowedMail, wrappedTerminal
    case noformat, details, yaml, difference, comment, chat
    case colours, numbered, searched, searchedFile, carriageReturnsAlone, tableCell
    case colouredJSON, doubleJSON, quotedWrapped, container, journal
    case dockerJSON, loggersJSON

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
            // As Markdown and editors of forums make them: an empty line ends a paragraph, a line
            // end is a break.
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
        case .tabsLost: return text.replacing("\t", with: " ")
        case .tabsExpanded: return lines.map(Self.expanded).joined(separator: "\n")
        case .wrappedMail: return lines.map { Self.wrapped($0, 72, flowed: false) }.joined(separator: "\n")
        case .flowedMail: return lines.map { Self.wrapped($0, 78, flowed: true) }.joined(separator: "\n")
        case .wrappedTerminal: return lines.map { Self.cut($0, 80) }.joined(separator: "\n")
        case .noformat: return "It crashed:\n{noformat}\n" + text + "{noformat}\nWhy?\n"
        case .details:
            return "It crashed.\n<details><summary>Log</summary>\n\n```text\n" + text + "```\n\n</details>\n"
        case .yaml: return "attachments:\n  - name: crash\n    log: |\n" + Self.prefixed(lines, "      ") + "\n  - name: other\n"
        case .difference: return "@@ -0,0 +1,\(lines.count) @@\n" + Self.prefixed(lines, "+")
        case .comment: return Self.prefixed(lines, "# ")
        case .chat: return "[10:21 AM] Ada Moor\nit died again\n" + text + "[10:22 AM] Bo Quay: look at this\n"
        case .colours: return lines.map { $0.isEmpty ? "" : "\u{1B}[31m" + $0 + "\u{1B}[0m" }.joined(separator: "\n")
        case .numbered:
            return lines.enumerated().map { number, line in
                let digits = "\(number + 1)"
                return String(repeating: " ", count: max(0, 6 - digits.count)) + digits + "\t" + line
            }.joined(separator: "\n")
        case .searched: return lines.enumerated().map { "\($0 + 1):\($1)" }.joined(separator: "\n")
        case .searchedFile: return lines.enumerated().map { "logs/out.txt:\($0 + 1):\($1)" }.joined(separator: "\n")
        case .carriageReturnsAlone: return lines.joined(separator: "\r")
        case .tableCell:
            return "id,log,state\n7,\"" + text.replacing("\"", with: "\"\"") + "\",open\n8,none,closed\n"
        case .colouredJSON:
            return "{\"id\":7,\"log\":\"" + Self.jsonEscaped(DamageKind.colours.damaged(text)) + "\"}\n"
        case .doubleJSON:
            return "{\"id\":7,\"event\":\"" + Self.jsonEscaped("{\"log\":\"" + Self.jsonEscaped(text) + "\"}") + "\"}\n"
        case .quotedWrapped:
            return "On Wed, somebody wrote:\n"
                + Self.prefixed(
                    lines.map { Self.wrapped($0, 70, flowed: false) }.joined(separator: "\n").split(
                        separator: "\n", omittingEmptySubsequences: false
                    ).map(String.init), "> ")
        case .dockerJSON:
            return lines.map {
                "{\"log\":\"" + Self.jsonEscaped($0) + "\\n\",\"stream\":\"stderr\",\"time\":\"2026-11-25T10:00:00.123456789Z\"}\n"
            }.joined()
        case .loggersJSON:
            return lines.map {
                "{\"ts\":1764064800.25,\"tags\":[\"a\",\"b\"],\"level\":\"error\",\"message\":\"" + Self.jsonEscaped($0) + "\"}\n"
            }.joined()
        case .container: return Self.prefixed(lines, "web_1  | ")
        case .journal: return Self.prefixed(lines, "Nov 21 10:00:00 host moor[812]: ")
        }
    }

    /// Returns the log after undoing the damage's own spelling by rules that hold for all of the
    /// log: a mail's by RFC 2045, a publisher's characters by ASCII's.
    func undone(_ text: String) -> String {
        switch self {
        case .quotedPrintable: Self.decoded(text)
        case .dashes: text.replacing("\u{2013}", with: "-").replacing("\u{2019}", with: "'")
        case .hardBlanks: text.replacing("\u{A0}", with: " ")
        default: text
        }
    }

    private static func decoded(_ mail: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(mail.utf8)
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x3D, index + 1 < bytes.count, bytes[index + 1] == 0x0A {
                index += 2
            } else if bytes[index] == 0x3D, index + 2 < bytes.count,
                let value = UInt8(String(decoding: bytes[index + 1...index + 2], as: UTF8.self), radix: 16)
            {
                result.append(value)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A log with results is damaged as one without. Lines that became longer are broken elsewhere,
    /// those that are added have no number, a row's tabs are the format's, and sanitizers have
    /// colours of their own.
    var keepsAnswers: Bool {
        switch self {
        case .colours, .colouredJSON, .tabsLost, .tabsExpanded, .wrappedMail, .flowedMail, .wrappedTerminal, .quotedWrapped, .numbered,
            .searched, .searchedFile,
            .difference:
            false
        default: true
        }
    }

    /// The text between two lines.
    var lineEnd: String {
        switch self {
        case .breaksAlone: "<br/>"
        case .jsonString, .colouredJSON: "\\n"
        case .doubleJSON: "\\\\n"
        case .carriageReturnsAlone: "\r"
        default: "\n"
        }
    }

    private static func expanded(_ line: String) -> String {
        line.unicodeScalars.reduce(into: "") { result, scalar in
            if scalar == "\t" {
                result += String(repeating: " ", count: 8 - result.unicodeScalars.count % 8)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
    }

    /// Broken at the last blank before the column; a word that is longer stays.
    private static func wrapped(_ line: String, _ width: Int, flowed: Bool) -> String {
        var (parts, part): ([String], String?) = ([], nil)
        for word in line.split(separator: " ", omittingEmptySubsequences: false) {
            if let known = part {
                let isFull = known.unicodeScalars.count + 1 + word.unicodeScalars.count > width
                guard isFull, !word.isEmpty, known.contains(where: { $0 != " " }) else {
                    part = known + " " + word
                    continue
                }
                parts.append(known)
                part = String(word)
            } else {
                part = String(word)
            }
        }
        parts.append(part ?? "")
        return parts.joined(separator: flowed ? " \n" : "\n")
    }

    private static func cut(_ line: String, _ width: Int) -> String {
        var parts: [String] = []
        var rest = Substring(line)
        repeat {
            parts.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        } while !rest.isEmpty
        return parts.joined(separator: "\n")
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

    static func jsonEscaped(_ text: String) -> String {
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
