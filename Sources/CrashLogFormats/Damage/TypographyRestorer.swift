import BinaryPrimitives
internal import CrashLogModel

/// Restores text that a word processor or a publisher improved: dashes and quotes are ASCII's
/// again, blanks of all kinds are blanks, and characters without a width are removed.
package struct TypographyRestorer: Restorer {
    package mutating func consume(_ line: Span<UInt8>, at start: Int, to text: inout TextWriter) -> Int {
        var copied = 0
        var index = 0
        while index < line.count {
            guard line[index] >= 0x80, let found = TypographyRestorer.character(in: line, at: index) else {
                index += 1
                continue
            }
            text.copy(line.clamped(to: copied..<index), at: start + copied)
            if let byte = found.byte { text.write(byte, for: start + index..<start + index + found.length) }
            index += found.length
            copied = index
        }
        text.copy(line.from(copied), at: start + copied)
        return line.count
    }

    /// Returns the ASCII replacement of a typographic character; the byte is `nil` for a character
    /// without a width.
    package static func character(in line: Span<UInt8>, at index: Int) -> (byte: UInt8?, length: Int)? {
        switch (line.at(index), line.at(index + 1), line.at(index + 2)) {
        // U+00A0, and U+00AD, the soft hyphen.
        case (0xC2, 0xA0, _): (UInt8(ascii: " "), 2)
        case (0xC2, 0xAD, _): (nil, 2)
        // U+2000 to U+200A and U+202F: blanks; U+200B to U+200F: marks without a width.
        case (0xE2, 0x80, let last?):
            switch last {
            case 0x80...0x8A, 0xAF: (UInt8(ascii: " "), 3)
            case 0x8B...0x8F: (nil, 3)
            case 0x90...0x95: (UInt8(ascii: "-"), 3)
            case 0x98...0x9B: (UInt8(ascii: "'"), 3)
            case 0x9C...0x9F: (UInt8(ascii: "\""), 3)
            default: nil
            }
        // U+2060, the word joiner; U+2212, minus.
        case (0xE2, 0x81, 0xA0): (nil, 3)
        case (0xE2, 0x88, 0x92): (UInt8(ascii: "-"), 3)
        // U+3000, the blank of Chinese and Japanese text.
        case (0xE3, 0x80, 0x80): (UInt8(ascii: " "), 3)
        case (0xEF, 0xBB, 0xBF): (nil, 3)
        default: nil
        }
    }
}
