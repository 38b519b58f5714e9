internal import BinaryPrimitives

extension GlibcBacktrace {
    /// The row stays, so that what reads such rows still does, and behind it stands what `addr2line -pfi` answers for it, which is what such logs are taken to:
    ///
    ///     ./ferry(+0x1495)[0x555555555495] sum at /src/ferry.c:50
    ///      (inlined by) spin at /src/ferry.c:60
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            guard let row = GlibcBacktraceRow(log.clamped(to: frame.place)) else { return nil }
            let line = LogLine(around: frame.place, in: log)
            let prefix = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + prefix }
                replacement += Array((" " + (index > 0 ? AddressToLineText.inlinedBy : "") + AddressToLineText.text(function)).utf8)
            }
            return TextEdit(range: frame.place.lowerBound + row.end..<frame.place.upperBound, replacement: replacement)
        }
    }
}
