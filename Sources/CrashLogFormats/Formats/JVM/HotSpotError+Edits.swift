internal import BinaryPrimitives
package import CrashLogModel

extension HotSpotError {
    /// As the machine writes rows whose debug information it finds: name, offset and the file's
    /// name without its folder; inlined calls, which it leaves out, as rows above.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = HotSpotRow(log.clamped(to: frame.place)), row.isNative else { return nil }
        let rows = RowAnswer(range: row.answerStart..<frame.place.count, functions: answer.functions.map(text))
        return .rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function) -> String {
        let place = SourceLocationText.shortText(function.location).map { "  (" + $0 + ")" } ?? ""
        return "  " + RowAnswer.symbol(function) + place
    }
}
