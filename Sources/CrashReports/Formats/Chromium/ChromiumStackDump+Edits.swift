internal import BinaryPrimitives

extension ChromiumStackDump {
    /// A row gets the function, and file, line and column as Chromium's builds with line numbers print them, `[../../ui/latency_info.cc:120,16]`; rows of other kinds have them in
    /// parentheses. Inlined calls become rows above it, with `[inlined]` and its number.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let text = log.clamped(to: frame.place)
            guard let row = ChromiumRow(text) else { return nil }
            if row.style == .apple { return AppleRow.edit(of: frame, with: answer, in: log) }
            let range = frame.place.lowerBound + row.answerRange.lowerBound..<frame.place.lowerBound + row.answerRange.upperBound
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<range.lowerBound).copied()
            // The file behind the answer, with the blank in front of it.
            let tail = log.clamped(to: range.upperBound..<frame.place.upperBound).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += tail + line.ending + head }
                replacement += Array(ChromiumRow.text(function, style: row.style).utf8)
            }
            return TextEdit(range: range, replacement: replacement)
        }
    }
}
