internal import BinaryPrimitives
package import CrashLogModel

extension HotSpotError {
    /// As the machine writes rows whose debug information it finds: name, offset and the file's
    /// name without its folder; inlined calls, which it leaves out, as rows above.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            guard let row = HotSpotRow(log.clamped(to: frame.place)), row.isNative else { return nil }
            let start = frame.place.lowerBound + row.answerStart
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array(text(function).utf8)
            }
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
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
