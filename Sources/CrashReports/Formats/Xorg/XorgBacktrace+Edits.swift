internal import BinaryPrimitives

extension XorgBacktrace {
    /// What stands in a row stays: the nearest exported symbol is often another function than the answer. Function, file and line follow behind the address; inlined calls become rows
    /// above it with its number and `[inlined]`.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let text = log.clamped(to: frame.place)
            guard let row = XorgRow(text), row.address != nil else { return nil }
            let line = LogLine(around: frame.place, in: log)
            let start = frame.place.lowerBound + row.addressEnd
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array(XorgRow.text(function).utf8)
            }
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
    }
}
