import BinaryPrimitives
internal import CrashLogModel

/// Takes the lines of a mail's body (RFC 2045, section 6.7): `=` at a line's end joins it to the
/// next, `=E2` is a byte.
package struct QuotedPrintableRestorer: Restorer {
    package mutating func take(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while let mark = line.firstIndex(of: UInt8(ascii: "="), from: index) {
            text.copy(line.clamped(to: index..<mark), at: start + index)
            let rest = line.from(mark + 1)
            if rest.isBlankLine, rest.count > 0 { return line.count }
            var digits = rest.upTo(2)
            if digits.count == 2, let value = digits.takeHexadecimal(), digits.count == 0 {
                text.write(UInt8(truncatingIfNeeded: value), for: start + mark..<start + mark + 3)
                index = mark + 3
            } else {
                text.copy(line.clamped(to: mark..<mark + 1), at: start + mark)
                index = mark + 1
            }
        }
        text.copy(line.from(index), at: start + index)
        return line.count
    }

    /// Whether most of a text's `=` are a mail's: after each are two digits, or the line's end. In
    /// `x = 3` a blank is there.
    package static func isMail(_ text: Span<UInt8>) -> Bool {
        var (mails, others) = (0, 0)
        var index = 0
        while let mark = text.firstIndex(of: UInt8(ascii: "="), from: index) {
            var digits = text.clamped(to: mark + 1..<mark + 3)
            let isEnd = digits.at(0) == UInt8(ascii: "\n") || digits.equals("\r\n")
            if isEnd || digits.count == 2 && digits.takeHexadecimal() != nil && digits.count == 0 { mails += 1 } else { others += 1 }
            index = mark + 1
        }
        return mails > 4 * others
    }

    /// Whether a line ends with one `=`, as a mail's broken ones do; `====` is a ruler.
    package static func isBroken(_ line: Span<UInt8>) -> Bool {
        let end = line.lengthWithoutEnding
        return line.at(end - 1) == UInt8(ascii: "=") && line.at(end - 2) != UInt8(ascii: "=")
    }
}
