internal import BinaryPrimitives
package import CrashLogModel

extension HotSpotError {
    /// As the machine writes rows whose debug information it finds: name, offset and the file's
    /// name without its folder; inlined calls, which it leaves out, as rows above.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = HotSpotRow(log.clamped(to: frame.place)), row.isNative else { return nil }
        let rows = RowAnswer(range: row.answerStart..<frame.place.count, functions: answer.functions.map(text))
        return .rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function) -> String {
        var text = "  " + PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" } else if let offset = function.offset { text += "+0x" + String(offset, radix: 16) }
        if let location = function.location, location.line > 0 {
            text += "  (" + SourceLocationText.text(SourceLocation(file: Path.foreignName(of: location.file), line: location.line)) + ")"
        }
        return text
    }
}
