internal import BinaryPrimitives
package import CrashLogModel

extension Javacore {
    /// As the port library writes rows whose lines it knows; inlined calls as rows above.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let bytes = log.clamped(to: frame.place)
            guard let row = JavacoreRow(bytes) else { return nil }
            let start = frame.place.lowerBound + row.symbolStart
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            let tail = bytes.from(row.addressStart).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array(text(function).utf8) + tail
            }
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
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
