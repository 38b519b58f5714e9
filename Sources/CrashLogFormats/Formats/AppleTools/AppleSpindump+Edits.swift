internal import BinaryPrimitives
package import CrashLogModel

extension AppleSpindump {
    /// A row becomes what spindump writes where it finds a dSYM:
    /// `main + 20 (main.m:12,5 in App + 1234) [0x…]`; the count, the address and what follows it
    /// stay. Inlined calls, which spindump does not show, follow as rows in the same column, with
    /// `[inlined]` after the name. They are outermost first, as all of the tree is.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log, by: edit)
    }

    private static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: frame.place)
        guard let row = AppleSpindumpRow(text), let holder = answer.functions.last else { return nil }
        let line = LogLine(around: frame.place, in: log)
        let start = frame.place.lowerBound + row.nameStart
        let end = frame.place.lowerBound + row.answerEnd
        let tail = log.clamped(to: end..<frame.place.upperBound).copied()
        var replacement = Array(words(holder, row, answer).utf8)
        for function in answer.functions.dropLast().reversed() {
            replacement += tail + line.ending + log.clamped(to: line.range.lowerBound..<start).copied()
            replacement += Array(words(function, row, answer).utf8)
        }
        return TextEdit(range: start..<end, replacement: replacement)
    }

    /// `main + 20 (main.m:12,5 in App + 1234)`; a column that is not known is left out.
    private static func words(_ function: FrameAnswer.Function, _ row: AppleSpindumpRow, _ answer: FrameAnswer) -> String {
        var text = PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset = function.offset { text += " + \(offset)" }
        text += " ("
        if let location = function.location {
            text += PlainText.line(Path.foreignName(of: location.file))
            if location.line > 0 { text += ":\(location.line)" + (location.column > 0 ? ",\(location.column)" : "") }
            text += " in "
        }
        text += PlainText.line(row.imageName ?? answer.imageName)
        if let offset = row.imageOffset { text += " + \(offset)" }
        return text + ")"
    }
}
