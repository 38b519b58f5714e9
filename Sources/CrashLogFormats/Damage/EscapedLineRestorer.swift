import BinaryPrimitives
internal import CrashLogModel

/// Restores the lines of a text that was pasted as one line, with `\n` as two characters and without the quotes of the JSON string or the
/// source code that it is from:
///
///     panic(cpu 2 caller 0xffffff8012): Kernel trap\nBacktrace (CPU 2), Frame : Return Address\n0xffffff9 : 0xffffff8\n
package struct EscapedLineRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while index < line.count {
            var string = JSONStringRestorer()
            index += string.consume(line.from(index), at: start + index, to: &text)
            // A quote that is not escaped ends nothing.
            guard index < line.count else { break }
            text.copy(line.clamped(to: index..<index + 1), at: start + index)
            index += 1
        }
        return line.count
    }

    /// Whether a line has several line ends that are two characters: a heading and two rows have three.
    package static func isEscaped(_ line: Span<UInt8>) -> Bool {
        var (count, index) = (0, 0)
        while line.from(index).hasPrefix("\\n") { index += 2 }
        while count < 3, let found = line.firstRange(of: "\\n", from: index) { (count, index) = (count + 1, found.upperBound) }
        return count == 3
    }

    /// Whether a format claims one of the first lines.
    static func hasLine(_ line: Span<UInt8>, claim: (Span<UInt8>) -> Bool) -> Bool {
        var start = 0
        for _ in 0..<maxLines {
            let end = line.firstRange(of: "\\n", from: start)
            let text = Array(JSONEscapes.decoded(line.clamped(to: start..<(end?.lowerBound ?? line.lengthWithoutEnding))).utf8)
            if claim(text.span) { return true }
            guard let end else { return false }
            start = end.upperBound
        }
        return false
    }

    private static let maxLines = 16
}
