internal import BinaryPrimitives
package import CrashLogModel

extension AppleSpindump {
    /// A row becomes what spindump writes where it finds a dSYM:
    /// `main + 20 (main.m:12,5 in App + 1234) [0x…]`; the count, the address and what follows it
    /// stay. Inlined calls, which spindump does not show, follow as rows in the same column, with
    /// `[inlined]` after the name. They are outermost first, as all of the tree is.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleSpindumpRow(log.clamped(to: frame.place)) else { return nil }
        let rows = RowAnswer(range: row.nameStart..<row.answerEnd, functions: answer.functions.reversed().map { words($0, row, answer) })
        return .rows(rows, in: frame.place, of: log)
    }

    /// `main + 20 (main.m:12,5 in App + 1234)`; a column that is not known is left out.
    private static func words(_ function: FrameAnswer.Function, _ row: AppleSpindumpRow, _ answer: FrameAnswer) -> String {
        var text = RowAnswer.name(function)
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
