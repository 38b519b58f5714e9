/// A manual page as text, for a terminal: what of roff `ManualPage` writes, set in lines of 78
/// columns as `man` does.
struct ManualText {
    private static let width = 78
    private var lines: [String] = []
    private var tokens: [Substring] = []
    private var indent = 7
    /// Columns of the first line, where a heading of an item is to the left of its text.
    private var isHeading = false

    /// - Parameter roff: a page of `ManualPage`'s.
    init(_ roff: String) {
        for line in roff.split(separator: "\n") {
            let macro = line.prefix { $0 != " " }
            let rest = Self.plain(line.dropFirst(macro.count).drop { $0 == " " })
            switch macro {
            case ".TH": continue
            case ".SH":
                flush()
                if !lines.isEmpty { lines.append("") }
                lines.append(rest)
                indent = 7
            case ".PP":
                flush()
                lines.append("")
                indent = 7
            case ".br": flush()
            case ".TP":
                flush()
                if lines.last?.isEmpty == false, lines.last?.hasPrefix(" ") == true { lines.append("") }
                (indent, isHeading) = (7, true)
            case ".B": add(rest)
            // Bold and roman in turns: the parts are one word.
            case ".BR": add(rest.filter { $0 != " " })
            default: add(Self.plain(line))
            }
            if isHeading, macro != ".TP" {
                flush()
                (indent, isHeading) = (14, false)
            }
        }
        flush()
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private mutating func add(_ text: String) { tokens += text.split(separator: " ").map { Substring($0) } }

    private mutating func flush() {
        var line = ""
        for word in tokens {
            if !line.isEmpty, indent + line.count + 1 + word.count > Self.width {
                lines.append(String(repeating: " ", count: indent) + line)
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        if !line.isEmpty { lines.append(String(repeating: " ", count: indent) + line) }
        tokens = []
    }

    /// Text without roff's escapes: the ones that `ManualPage` writes.
    private static func plain(_ text: Substring) -> String {
        var result = text.replacing("\\&", with: "").replacing("\\-", with: "-").replacing("\\(lq", with: "“").replacing("\\(rq", with: "”")
            .replacing("\\(cq", with: "’")
        for font in ["B", "I", "R"] { result = result.replacing("\\f" + font, with: "") }
        if result.hasPrefix("\""), result.hasSuffix("\""), result.count > 1 { result = result.dropFirst().dropLast() }
        // Other characters by their numbers: `\[u00E9]`.
        while let start = result.firstRange(of: "\\[u"), let end = result[start.upperBound...].firstIndex(of: "]"),
            let scalar = UInt32(result[start.upperBound..<end], radix: 16).flatMap(Unicode.Scalar.init)
        {
            result.replaceSubrange(start.lowerBound...end, with: String(scalar))
        }
        return result.replacing("\\e", with: "\\").description
    }
}
