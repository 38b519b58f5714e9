import BinaryPrimitives

/// Takes the tags of forums and wikis that are glued to a log's lines: `[code]Process:`, `+ 980[/code]`, `{noformat}Thread 0 Crashed:`, three backticks.
struct ForumCodeRestorer: Restorer {
    mutating func take(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        var copied = 0
        var hasText = false
        while index < line.count {
            guard let end = ForumCodeRestorer.tagEnd(in: line, at: index) else {
                hasText = hasText || !isBlank(line[index])
                index += 1
                continue
            }
            text.copy(line.clamped(to: copied..<index), at: start + copied)
            // What stands on both sides of a tag are two lines.
            if hasText, !line.from(end).isBlankLine { text.write(UInt8(ascii: "\n"), for: start + index..<start + end) }
            (index, copied) = (end, end)
        }
        text.copy(line.from(copied), at: start + copied)
        return line.count
    }

    /// Behind a tag that begins at `index`.
    static func tagEnd(in line: Span<UInt8>, at index: Int) -> Int? {
        var rest = line.from(index)
        switch rest.at(0) {
        case UInt8(ascii: "`"):
            guard rest.take("```") else { return nil }
            return line.count - rest.count
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            let close = rest.at(0) == UInt8(ascii: "[") ? UInt8(ascii: "]") : UInt8(ascii: "}")
            rest = rest.from(1)
            _ = rest.take("/")
            guard let name = words.first(where: { rest.hasPrefix($0) || rest.hasPrefix($0.uppercased()) }) else { return nil }
            rest = rest.from(name.utf8.count)
            // `[code=text]`, `{code:title=log|borderStyle=solid}`
            guard let next = rest.at(0), next == close || next == UInt8(ascii: "=") || next == UInt8(ascii: ":"),
                let end = rest.upTo(80).firstIndex(of: close)
            else { return nil }
            return line.count - rest.count + end + 1
        default: return nil
        }
    }

    private static let words = ["code", "quote", "noformat", "spoiler", "pre", "noparse"]
}
