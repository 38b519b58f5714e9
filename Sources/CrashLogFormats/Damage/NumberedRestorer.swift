internal import BinaryPrimitives
internal import CrashLogModel

/// Restores lines that an editor, `cat -n` or `grep -n` numbered: ` 12<tab>`, `12:`, `12 | `,
/// `crash.log:12:`.
package struct NumberedRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        let end = NumberedRestorer.end(in: line.upTo(line.lengthWithoutEnding))?.end ?? 0
        text.copy(line.from(end), at: start + end)
        return line.count
    }

    /// The number, and the offset at which the line's own text begins.
    package static func end(in line: Span<UInt8>) -> (number: UInt64, end: Int)? {
        if let found = number(in: line) { return found }
        // `grep -Hn` names the file, too.
        guard let colon = line.upTo(longestName).firstIndex(of: UInt8(ascii: ":")), colon > 0, let found = number(in: line.from(colon + 1)),
            line.upTo(colon).firstIndex(of: UInt8(ascii: " ")) == nil
        else { return nil }
        return (found.number, colon + 1 + found.end)
    }

    private static let longestName = 128

    private static func number(in line: Span<UInt8>) -> (number: UInt64, end: Int)? {
        var rest = line
        rest.skipBlanks()
        guard let number = rest.readDecimal(),
            rest.consume("\t") || rest.consume(":") || rest.consume(" | ") || rest.consume("| ") || rest.consume(" |")
        else { return nil }
        return (number, line.count - rest.count)
    }

    /// Whether the text after a number may be a line's own. Rows of a stack have numbers of their
    /// own, each with one blank after it, and source locations have columns: `1: 0x55d4e1f2a3b4`,
    /// `/src/main.zig:12:9: 0x1034c70 in moor`.
    package static func mayBelongToLine(_ text: Span<UInt8>) -> Bool {
        guard let first = text.at(0), let second = text.at(1) else { return false }
        return !isDigit(first) && (!isBlank(first) || isBlank(second))
    }

    /// Whether two lines have numbers that follow one another.
    package static func isNumbered(_ line: Span<UInt8>, _ next: Span<UInt8>) -> Bool {
        guard let first = end(in: line), let second = end(in: next) else { return false }
        return second.number == first.number &+ 1
    }
}
