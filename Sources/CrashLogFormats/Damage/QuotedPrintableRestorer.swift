import BinaryPrimitives
internal import CrashLogModel

/// Decodes quoted-printable text (RFC 2045, section 6.7): `=` at a line's end joins it to the next line, `=E2` is a byte. Only bytes that need an
/// escape are decoded.
package struct QuotedPrintableRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
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

    /// A quoted-printable escape sequence.
    private enum Escape {
        /// Soft line break: the line continues on the next one.
        case lineBreak
        case byte(UInt8)

        /// Reads the escape that begins with the `=` at `mark`. `nil` if it is not an escape, as in
        /// `x = 3`, or if its byte needs no escape, as in `pid=42`.
        init?(in text: Span<UInt8>, at mark: Int) {
            // Mail transports may append blanks to a line.
            var end = mark + 1
            while let byte = text.at(end), isBlank(byte) { end += 1 }
            if text.at(end) == UInt8(ascii: "\n") || text.clamped(to: end..<end + 2).equals("\r\n") {
                self = .lineBreak
                return
            }
            var digits = text.clamped(to: mark + 1..<mark + 3)
            guard digits.count == 2, let number = digits.readHexadecimal(), digits.count == 0 else { return nil }
            let value = UInt8(truncatingIfNeeded: number)
            switch value {
            case 0..<0x20, UInt8(ascii: "="), 0x7F...0xFF: break
            // Blanks are escaped only at a line's end, where transports would remove them.
            case UInt8(ascii: " "):
                guard text.at(mark + 3).map({ $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) ?? true else { return nil }
            // Escaped only at a line's beginning: `From ` separates the mails of an mbox file, and a line with a single point ends a mail in SMTP.
            case UInt8(ascii: "F"), UInt8(ascii: "."):
                guard mark == 0 || text.at(mark - 1) == UInt8(ascii: "\n") else { return nil }
            default: return nil
            }
            self = .byte(value)
        }
    }

    /// Whether at least four of five `=` in a text begin an escape.
    package static func isMail(_ text: Span<UInt8>) -> Bool {
        var (mails, others) = (0, 0)
        var index = 0
        while let mark = text.firstIndex(of: UInt8(ascii: "="), from: index) {
            if Escape(in: text, at: mark) != nil { mails += 1 } else { others += 1 }
            index = mark + 1
        }
        return mails > 4 * others
    }

    /// Whether one line alone proves quoted-printable text. Values such as `id=3D42` or `crc=E2A0` are no proof.
    package static func provesQuotedPrintable(_ line: Span<UInt8>) -> Bool {
        guard line.firstIndex(of: UInt8(ascii: "=")) != nil, isMail(line) else { return false }
        return isBroken(line) || line.contains("=3D=3D") || line.contains(" =3D ") || line.contains("\t=3D ") || hasCharacter(line)
    }

    /// Whether a line has the escapes of a complete multi-byte UTF-8 character: `=E2=80=99`.
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

    /// Lengths of lines with a soft break, in bytes: at most 76 by RFC 2045, plus the marks of quoted mails.
    private static let brokenLengths = 60...84

    /// Whether a line ends with a soft line break: about 76 bytes of ASCII with one `=` at the end. `====` is a ruler. A row of a memory dump may end
    /// with `=`, too, but has bytes that are not ASCII, or another length.
    package static func isBroken(_ line: Span<UInt8>) -> Bool {
        let end = line.lengthWithoutEnding
        guard brokenLengths.contains(end), line.at(end - 1) == UInt8(ascii: "="), line.at(end - 2) != UInt8(ascii: "=") else {
            return false
        }
        return line.indices.allSatisfy { line[$0] < 0x80 }
    }
}
