internal import BinaryPrimitives

extension SwiftServerBacktrace {
    /// `, NAME at FILE:LINE` follows the address; inlined calls are rows of the same address above it, innermost first, as libbacktrace reports them.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let text = log.clamped(to: frame.place)
            var rest = text
            rest.skipBlanks()
            guard rest.takeAddress() != nil else { return nil }
            let addressEnd = frame.place.lowerBound + text.count - rest.count
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<addressEnd).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array((", " + AppleSymbolText.oneLine(function.name)).utf8)
                if let location = function.location {
                    replacement += Array(" at \(AppleSymbolText.oneLine(location.file)):\(location.line)".utf8)
                }
            }
            return TextEdit(range: addressEnd..<frame.place.upperBound, replacement: replacement)
        }
    }
}
