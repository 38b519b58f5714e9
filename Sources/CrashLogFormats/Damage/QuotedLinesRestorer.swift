import BinaryPrimitives
internal import CrashLogModel

/// Restores the text between a prefix and an ending on each line:
///
///     time="2024-03-05T10:11:12Z" level=error msg="main.moor(0x0)"
///     │#0  0x0000555555555159 in moor (n=10) at berth.c:3                        │
///
/// Between double quotes, a backslash begins an escape of JSON.
package struct QuotedLinesRestorer: Restorer {
    private let prefix: WriterPrefix

    package init(_ prefix: WriterPrefix) { self.prefix = prefix }

    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        let content = line.upTo(line.lengthWithoutEnding)
        guard let range = prefix.text(of: content) else {
            text.copy(line, at: start)
            return line.count
        }
        let inside = content.clamped(to: range)
        if prefix.isQuoted, inside.firstIndex(of: UInt8(ascii: "\\")) != nil {
            var string = JSONStringRestorer()
            // With its closing quote.
            _ = string.consume(content.clamped(to: range.lowerBound..<range.upperBound + 1), at: start + range.lowerBound, to: &text)
        } else {
            text.copy(inside, at: start + range.lowerBound)
        }
        text.write(UInt8(ascii: "\n"), for: start + range.upperBound..<start + line.count)
        return line.count
    }
}
