internal import BinaryPrimitives
package import CrashLogModel

extension Javacore {
    /// As the port library writes rows whose lines it knows; inlined calls as rows above.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = JavacoreRow(log.clamped(to: frame.place)) else { return nil }
        let rows = RowAnswer(range: row.symbolStart..<row.addressStart, functions: answer.functions.map(text))
        return .rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function) -> String {
        var text = PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" } else if let offset = function.offset { text += "+0x" + String(offset, radix: 16) }
        text += " ("
        if let location = function.location, location.line > 0 {
            text += SourceLocationText.text(SourceLocation(file: Path.foreignName(of: location.file), line: location.line)) + ", "
        }
        return text
    }
}
