import BinaryPrimitives
internal import CrashLogModel

/// Restores the inside of a JSON string (RFC 8259, section 7) up to its closing quote.
package struct JSONStringRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while index < line.count {
            let mark = line.firstQuoteOrBackslash(from: index) ?? line.count
            text.copy(line.clamped(to: index..<mark), at: start + index)
            guard mark < line.count, line[mark] == UInt8(ascii: "\\") else { return mark }
            let end = JSONStringRestorer.escapeEnd(in: line, at: mark)
            let escape = line.clamped(to: mark..<end)
            if end > mark + 1 {
                text.write(Array(JSONEscapes.decoded(escape).utf8), for: start + mark..<start + end)
            } else {
                text.copy(escape, at: start + mark)
            }
            index = end
        }
        return line.count
    }

    /// The position after an escape; two units of UTF-16 that make one character are one.
    private static func escapeEnd(in line: Span<UInt8>, at start: Int) -> Int {
        guard line.at(start + 1) == UInt8(ascii: "u") else { return min(start + 2, line.count) }
        guard let first = unit(in: line, at: start) else { return start + 1 }
        if (0xD800...0xDBFF).contains(first), unit(in: line, at: start + 6) != nil { return start + 12 }
        return start + 6
    }

    private static func unit(in line: Span<UInt8>, at start: Int) -> UInt64? {
        var digits = line.clamped(to: start..<start + 6)
        guard digits.consume("\\u"), digits.count == 4, let value = digits.readHexadecimal(), digits.count == 0 else { return nil }
        return value
    }
}
