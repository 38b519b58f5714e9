internal import BinaryPrimitives
internal import CrashLogModel

/// The text of a panic inside an `.ips` (`panicString`; of bridgeOS also `macOSPanicString`), read
/// by the format of the kernel's own panic logs.
///
/// The range of a line is its part of the string, between two `\n`; a result's line breaks and
/// quotes are written as escapes.
enum AppleIPSPanic {
    static let keys = ["panicString", "macOSPanicString"]

    /// - Returns: `nil` if the text holds no stack.
    static func report(_ text: JSONValue, in document: Span<UInt8>) -> CrashReport? {
        guard text.string != nil else { return nil }
        var reader = ApplePanic()
        var hasBegun = false
        for range in QuotedAppleRows.lines(of: text, in: document) {
            let line = QuotedAppleRows.row(range, in: document)
            if !hasBegun {
                guard ApplePanic.begins(line.span) != .none else { continue }
                hasBegun = true
            }
            guard case .more = reader.consume(line.span, at: range) else { break }
        }
        return reader.finish().first { report in report.stacks.contains { !$0.frames.isEmpty } }
    }

    /// The edit for a row, which the format makes as if the row were all of the log.
    static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        let row = QuotedAppleRows.row(frame.range, in: log)
        var alone = frame
        alone.range = 0..<row.count
        guard let edit = ApplePanic.edits(of: CrashReport(format: ApplePanic.name), results: [(alone, result)], in: row.span).first else {
            return nil
        }
        let range = frame.range.lowerBound + edit.range.lowerBound..<frame.range.lowerBound + edit.range.upperBound
        let text = JSONString.quoted(String(decoding: edit.replacement, as: UTF8.self))
        return TextEdit(range: range, replacement: Array(text.utf8.dropFirst().dropLast()))
    }
}
