internal import BinaryPrimitives

extension SystemdCoredump {
    /// The name takes the place of `n/a`, as systemd prints it where it has the debug file; the place in the source, which systemd never prints, stands behind the parentheses, so that what
    /// reads such rows still does. Inlined calls become rows above, with the same number and address and `[inlined]`.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            // In the journal's JSON the message is one string, whose lines end with an escape.
            let line = LogLine(around: frame.place, in: log)
            let isEscaped = SystemdJournalEntry.isEscaped(frame.place, in: log)
            guard let row = SystemdRow(log.clamped(to: frame.place)) else { return nil }
            let lineStart = isEscaped ? frame.place.lowerBound : line.range.lowerBound
            let ending = isEscaped ? Array("\\n".utf8) : line.ending
            let head = ending + log.clamped(to: lineStart..<frame.place.lowerBound + row.nameRange.lowerBound).copied()
            let module = log.clamped(to: frame.place.lowerBound + row.nameRange.upperBound..<frame.place.lowerBound + row.end).copied()
            var replacement: [UInt8] = []
            for function in answer.functions {
                if !replacement.isEmpty { replacement += head }
                replacement += escaped(AppleSymbolText.oneLine(function.name), isEscaped) + module
                if function.isInlined { replacement += Array(" [inlined]".utf8) }
                if let location = function.location {
                    replacement += escaped(" at " + AppleSymbolText.oneLine(location.file) + ":\(location.line)", isEscaped)
                }
            }
            let start = frame.place.lowerBound + row.nameRange.lowerBound
            return TextEdit(range: start..<frame.place.upperBound, replacement: replacement)
        }
    }

    private static func escaped(_ text: String, _ isEscaped: Bool) -> [UInt8] {
        Array((isEscaped ? String(JSONText.quoted(text).dropFirst().dropLast()) : text).utf8)
    }
}
