internal import BinaryPrimitives

extension PythonTrace {
    /// Rows of C code: the symbol and the offset from it where the interpreter writes those it knows, and the place in the source behind the row; inlined calls as rows above.
    /// Frames of Python code have nothing to answer.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let bytes = log.clamped(to: frame.place)
            guard let row = PythonCodeRow(bytes) else { return nil }
            let start = frame.place.lowerBound + row.symbolStart
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            let address = bytes.clamped(to: row.addressStart..<row.answerStart).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array(symbol(function).utf8) + address
                if let location = function.location, location.line > 0 {
                    replacement += Array((" at " + SourcePlaceText.text(location)).utf8)
                }
            }
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
    }

    private static func symbol(_ function: FrameAnswer.Function) -> String {
        var text = ", at " + AppleSymbolText.oneLine(function.name)
        if function.isInlined { text += " [inlined]" } else if let offset = function.offset { text += "+0x" + String(offset, radix: 16) }
        return text
    }
}
