internal import BinaryPrimitives

extension RustPanic {
    /// As the backtrace crate writes its `Backtrace` (rows that std numbers one by one cannot be put in between): the name, below it `at` and the place, and the functions that a call was inlined into as further rows of the same frame, without a number.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let line = LogLine(around: frame.place.lowerBound..<frame.place.lowerBound, in: log)
            let row = log.clamped(to: frame.place.lowerBound..<max(frame.place.lowerBound, line.range.upperBound))
            guard let parts = RustRow(row), parts.address != nil else { return nil }
            let head = line.ending + log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += head + blanks(parts.width + 9) }
                replacement += Array(AppleSymbolText.oneLine(function.name).utf8)
                if let location = function.location, location.line > 0 {
                    replacement += head + blanks(parts.width + 13) + Array(("at " + SourcePlaceText.text(location, withColumn: true)).utf8)
                }
            }
            return TextEdit(range: frame.place.lowerBound + parts.nameStart..<frame.place.upperBound, replacement: replacement)
        }
    }

    private static func blanks(_ count: Int) -> [UInt8] { Array(repeating: UInt8(ascii: " "), count: count) }
}
