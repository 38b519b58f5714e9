internal import BinaryPrimitives

extension NodeNativeTrace {
    /// A row gets the name where dladdr had none, in front of the file's bracket, and file, line and column behind it in parentheses, as the rows of JavaScript below have them.
    /// Inlined calls become rows above it with its number and `[inlined]`.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let text = log.clamped(to: frame.place)
            guard let row = NodeRow(text) else { return nil }
            let line = LogLine(around: frame.place, in: log)
            let start = frame.place.lowerBound + row.addressEnd
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            let file =
                row.path == nil
                ? Array(" [\(AppleSymbolText.oneLine(answer.imageName))]".utf8) : text.clamped(to: row.pathStart..<row.pathEnd).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array((" " + ChromiumSymbolText.name(function)).utf8) + file + Array(ChromiumSymbolText.place(function).utf8)
            }
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
    }
}
