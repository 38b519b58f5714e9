/// Effects of bytes on a terminal, or on the console of a service, besides being shown. Knows
/// nothing of how cairn escapes; the tables are those of the standards.
package struct ShownText {
    private let bytes: [UInt8]

    /// - Parameter allowsColors: sequences that set how text looks (SGR), and nothing else, are no
    ///   harm.
    package init(_ bytes: [UInt8], allowsColors: Bool = false) { self.bytes = allowsColors ? Self.withoutColors(bytes) : bytes }

    /// Bytes that are not just shown: control characters but line endings and tabs, characters that
    /// set the direction of writing or are invisible, and bytes that are controls to a terminal
    /// with eight bits.
    package var commands: [String] {
        var found: [String] = []
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if (0x20..<0x7F).contains(byte) {
                index += 1
                continue
            }
            let (scalar, length) = Self.scalar(bytes, index)
            defer { index += length }
            guard let scalar else {
                if (0x80..<0xA0).contains(byte) { found.append("byte " + String(byte, radix: 16)) }
                continue
            }
            let isLineEnding = scalar == 0x0A || scalar == 0x09 || (scalar == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A)
            if !isLineEnding, Self.commanding.contains(where: { $0.contains(scalar) }) { found.append("U+" + String(scalar, radix: 16)) }
        }
        return found
    }

    /// Lines that a service takes for commands of its own.
    package var serviceCommands: [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init).filter { line in
            // `ActionCommand.TryParseV2` of actions/runner: at the beginning after white space, and
            // closed. `TryParse`, and Azure's agent: anywhere.
            let text = line.drop(while: \.isWhitespace)
            if text.hasPrefix("::"), text.dropFirst(2).contains("::") { return true }
            guard line.contains("##") else { return false }
            return ["##[", "##vso[", "##teamcity["].contains { line.contains($0) }
        }
    }

    /// C0, DEL, C1 (ECMA-48); Bidi_Control and line and paragraph separators (Unicode,
    /// PropList.txt); format characters that are not seen (Cf, but the joiners that scripts and
    /// pictures need).
    private static let commanding: [ClosedRange<UInt32>] = [
        0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0x200B...0x200B, 0x2060...0x2064,
        0xFEFF...0xFEFF, 0xAD...0xAD, 0xFFF9...0xFFFB,
        0xE0001...0xE007F,
    ]

    /// By the table of RFC 3629, section 4.
    private static func scalar(_ bytes: [UInt8], _ index: Int) -> (scalar: UInt32?, length: Int) {
        let first = bytes[index]
        if first < 0x80 { return (UInt32(first), 1) }
        let forms: [(ClosedRange<UInt8>, ClosedRange<UInt8>, Int, UInt8)] = [
            (0xC2...0xDF, 0x80...0xBF, 2, 0x1F), (0xE0...0xE0, 0xA0...0xBF, 3, 0x0F), (0xE1...0xEC, 0x80...0xBF, 3, 0x0F),
            (0xED...0xED, 0x80...0x9F, 3, 0x0F),
            (0xEE...0xEF, 0x80...0xBF, 3, 0x0F), (0xF0...0xF0, 0x90...0xBF, 4, 0x07), (0xF1...0xF3, 0x80...0xBF, 4, 0x07),
            (0xF4...0xF4, 0x80...0x8F, 4, 0x07),
        ]
        guard let form = forms.first(where: { $0.0.contains(first) }), index + form.2 <= bytes.count, form.1.contains(bytes[index + 1])
        else { return (nil, 1) }
        var value = UInt32(first & form.3)
        for next in bytes[index + 1..<index + form.2] {
            guard next & 0xC0 == 0x80 else { return (nil, 1) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        return (value, form.2)
    }

    private static func withoutColors(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x1B, index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "[") {
                let end = bytes[(index + 2)...].firstIndex { !(0x30...0x3B).contains($0) }
                if let end, bytes[end] == UInt8(ascii: "m") {
                    index = end + 1
                    continue
                }
            }
            result.append(bytes[index])
            index += 1
        }
        return result
    }
}
