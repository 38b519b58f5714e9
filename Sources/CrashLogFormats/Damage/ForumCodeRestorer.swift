import BinaryPrimitives
internal import CrashLogModel

/// Removes the tags of forums and wikis that are glued to a log's lines: `[code]Process:`,
/// `+ 980[/code]`, `{noformat}Thread 0 Crashed:`, three backticks.
package struct ForumCodeRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        var copied = 0
        var hasText = false
        while index < line.count {
            guard let end = ForumTag.end(in: line, at: index) else {
                hasText = hasText || !isBlank(line[index])
                index += 1
                continue
            }
            text.copy(line.clamped(to: copied..<index), at: start + copied)
            // The texts before and after a tag are two lines.
            if hasText, !line.from(end).isBlankLine { text.write(UInt8(ascii: "\n"), for: start + index..<start + end) }
            (index, copied) = (end, end)
        }
        text.copy(line.from(copied), at: start + copied)
        return line.count
    }
}
