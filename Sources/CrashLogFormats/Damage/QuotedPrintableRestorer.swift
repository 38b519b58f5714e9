import BinaryPrimitives
internal import CrashLogModel

/// Takes the lines of a mail's body (RFC 2045, section 6.7): `=` at a line's end joins it to the next, `=E2` is a byte
/// that could not stand there itself.
package struct QuotedPrintableRestorer: Restorer {
    package mutating func take(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var index = 0
        while let mark = line.firstIndex(of: UInt8(ascii: "="), from: index) {
            text.copy(line.clamped(to: index..<mark), at: start + index)
            switch Escape(in: line, at: mark) {
            case .lineBreak: return line.count
            case .byte(let value):
                text.write(value, for: start + mark..<start + mark + 3)
                index = mark + 3
            case .none:
                text.copy(line.clamped(to: mark..<mark + 1), at: start + mark)
                index = mark + 1
            }
        }
        text.copy(line.from(index), at: start + index)
        return line.count
    }

    /// What a `=` and the bytes after it are in a mail.
    private enum Escape {
        /// The line goes on below.
        case lineBreak
        case byte(UInt8)

        /// `nil` for what no mail has: `x = 3`, or a byte that needs no escape, as in `pid=42`.
        init?(in text: Span<UInt8>, at mark: Int) {
            // On its way a line may get blanks at its end.
            var end = mark + 1
            while let byte = text.at(end), isBlank(byte) { end += 1 }
            if text.at(end) == UInt8(ascii: "\n") || text.clamped(to: end..<end + 2).equals("\r\n") {
                self = .lineBreak
                return
            }
            var digits = text.clamped(to: mark + 1..<mark + 3)
            guard digits.count == 2, let number = digits.takeHexadecimal(), digits.count == 0 else { return nil }
            let value = UInt8(truncatingIfNeeded: number)
            switch value {
            case 0..<0x20, UInt8(ascii: "="), 0x7F...0xFF: break
            // Else it would get lost.
            case UInt8(ascii: " "):
                guard text.at(mark + 3).map({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) ?? true else { return nil }
            // `From ` at a line's beginning separates mails of a file, and a point alone ends one that is sent.
            case UInt8(ascii: "F"), UInt8(ascii: "."):
                guard mark == 0 || text.at(mark - 1) == UInt8(ascii: "\n") else { return nil }
            default: return nil
            }
            self = .byte(value)
        }
    }

    /// Whether most of a text's `=` are a mail's.
    package static func isMail(_ text: Span<UInt8>) -> Bool {
        var (mails, others) = (0, 0)
        var index = 0
        while let mark = text.firstIndex(of: UInt8(ascii: "="), from: index) {
            if Escape(in: text, at: mark) != nil { mails += 1 } else { others += 1 }
            index = mark + 1
        }
        return mails > 4 * others
    }

    /// Whether a line by itself is a mail's, which a number as in `id=3D42` or `crc=E2A0` does not make it.
    package static func isMailsLine(_ line: Span<UInt8>) -> Bool {
        guard line.firstIndex(of: UInt8(ascii: "=")) != nil, isMail(line) else { return false }
        return isBroken(line) || line.contains("=3D=3D") || line.contains(" =3D ") || line.contains("\t=3D ") || hasCharacter(line)
    }

    /// Whether the escapes of a character of several bytes are in a line: `=E2=80=99`.
    private static func hasCharacter(_ line: Span<UInt8>) -> Bool {
        var index = 0
        while let mark = line.firstIndex(of: UInt8(ascii: "="), from: index) {
            index = mark + 1
            guard case .byte(let first)? = Escape(in: line, at: mark) else { continue }
            let more = first < 0xC2 || first > 0xF4 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
            let isWhole = (1...3).prefix(more).allSatisfy { number in
                guard line.at(mark + 3 * number) == UInt8(ascii: "="), case .byte(0x80...0xBF)? = Escape(in: line, at: mark + 3 * number)
                else { return false }
                return true
            }
            if more > 0, isWhole { return true }
        }
        return false
    }

    /// Bytes of a line that is broken: mails have at most 76 (RFC 2045), and mark those that they quote.
    private static let brokenLengths = 60...84

    /// Whether a line is one that a mail has broken: of 76 bytes or somewhat less, all of them of ASCII, with one `=` at its end. `====` is a ruler, and
    /// a row of a dump of memory ends with whatever that holds.
    package static func isBroken(_ line: Span<UInt8>) -> Bool {
        let end = line.lengthWithoutEnding
        guard brokenLengths.contains(end), line.at(end - 1) == UInt8(ascii: "="), line.at(end - 2) != UInt8(ascii: "=") else {
            return false
        }
        return line.indices.allSatisfy { line[$0] < 0x80 }
    }
}
