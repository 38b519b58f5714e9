internal import BinaryPrimitives

/// Pieces that output for people is made of: what comes out of logs moves no cursor, and lines
/// are folded.
enum ResultText {
    /// Columns that the output keeps to, unless a word is longer.
    static let width = 100

    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// `37.7 %`; rounded to the nearest tenth.
    static func share(_ part: Int, of whole: Int) -> String {
        guard whole > 0 else { return "0 %" }
        let thousandths = (part.multipliedFullWidth(by: 2000).low + UInt(whole)) / UInt(2 * whole)
        return "\(thousandths / 10).\(thousandths % 10) %"
    }

    /// Characters of a value that are shown: a log may have a page of text for its version.
    private static let valueLength = 100

    /// `2.0 (3), 1.0 (2), unknown (1), and 4 more`.
    static func tallies(_ tallies: [Tally], count: Int? = nil) -> String {
        var parts = tallies.map { tally in
            guard let value = tally.value else { return "unknown (\(tally.count))" }
            let text = PlainText.line(String(value.prefix(valueLength)))
            return "\(text)\(value.count > valueLength ? "…" : "") (\(tally.count))"
        }
        if let count, count > tallies.count { parts.append("and \(count - tallies.count) more") }
        return parts.joined(separator: ", ")
    }

    /// When reports of a group happened.
    static func span(_ first: Int64?, _ last: Int64?) -> String {
        guard let first, let last else { return "no timestamps" }
        let (from, to) = (ReadableTime.text(first), ReadableTime.text(last))
        return from == to ? from : from + " to " + to
    }

    /// Lines of at most so many columns, folded at blanks; a word that is longer has a line of its
    /// own. The first line begins with `first`, the others with as many blanks.
    static func folded(_ text: String, first: String = "", hanging: Int? = nil) -> [String] {
        let indent = String(repeating: " ", count: hanging ?? columns(first))
        var lines: [String] = []
        var line = first
        var length = columns(first)
        var isEmpty = true
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            let size = columns(word)
            if !isEmpty, length + 1 + size > width {
                lines.append(line)
                line = indent
                length = indent.utf8.count
                isEmpty = true
            }
            if !isEmpty {
                line += " "
                length += 1
            }
            line += word
            length += size
            isEmpty = false
        }
        lines.append(line)
        return lines
    }

    static func columns(_ text: some StringProtocol) -> Int { text.unicodeScalars.reduce(0) { $0 + PlainText.width($1) } }

    static func bytes(_ lines: [String]) -> [UInt8] {
        var output: [UInt8] = []
        for line in lines {
            output += line.utf8
            output.append(UInt8(ascii: "\n"))
        }
        return output
    }
}
