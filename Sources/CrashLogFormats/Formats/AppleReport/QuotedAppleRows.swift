internal import BinaryPrimitives
internal import CrashLogModel

/// Rows of Apple's text reports in a string of a JSON document: `asiBacktraces` of an `.ips`, `stack` of Datadog.
///
///     "stack": "0   Demo   0x0000000104a38390 0x104a38000 + 912\n1   Demo   …"
///
/// The range of a row is its part of the string, between two `\n`.
enum QuotedAppleRows {
    /// The frames of a string's rows, without their kinds; empty if the value is not a string.
    static func frames(of text: JSONValue?, in document: Span<UInt8>) -> [Frame] {
        guard let text, text.string != nil else { return [] }
        return lines(of: text, in: document).prefix(Limits.standard.framesPerThread).compactMap { line in
            AppleRow(row(line, in: document).span)?.frame(at: line)
        }
    }

    /// The lines of a text in a JSON string, as parts of it between two `\n`.
    static func lines(of text: JSONValue, in document: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = text.range.lowerBound + 1
        let end = text.range.upperBound - 1
        while start < end {
            let next = document.clamped(to: 0..<end).firstRange(of: "\\n", from: start) ?? end..<end
            lines.append(start..<next.lowerBound)
            start = max(start + 1, next.upperBound)
        }
        return lines
    }

    /// A row inside a JSON string: its tabs, two bytes there, as two blanks, so that all positions stay.
    static func row(_ range: Range<Int>, in document: Span<UInt8>) -> [UInt8] {
        var bytes = document.clamped(to: range).copied()
        for index in bytes.indices.dropLast() where bytes[index] == UInt8(ascii: "\\") && bytes[index + 1] == UInt8(ascii: "t") {
            bytes[index] = UInt8(ascii: " ")
            bytes[index + 1] = UInt8(ascii: " ")
        }
        return bytes
    }

    /// The edit that symbolicates a row as in a text report, its line ends and quotes being escapes.
    /// - Returns: `nil` if the frame's range is not such a row.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleRow(row(frame.range, in: log).span) else { return nil }
        let start = frame.range.lowerBound + row.addressEnd
        let head = log.clamped(to: frame.range.lowerBound..<start).copied()
        var replacement: [UInt8] = []
        for (index, function) in result.functions.enumerated() {
            if index > 0 { replacement += Array("\\n".utf8) + head }
            replacement += Array(" ".utf8) + Array(JSONString.quoted(SymbolText.text(for: function)).utf8.dropFirst().dropLast())
        }
        return TextEdit(range: start..<frame.range.upperBound, replacement: replacement)
    }
}
