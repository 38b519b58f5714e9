internal import BinaryPrimitives
package import CrashLogModel

extension Javacore {
    /// As the port library writes rows whose lines it knows; inlined calls as rows above.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = JavacoreRow(log.clamped(to: frame.place)) else { return nil }
        let rows = RowAnswer(range: row.symbolStart..<row.addressStart, functions: answer.functions.map(text))
        return .rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function) -> String {
        let place = SourceLocationText.shortText(function.location).map { $0 + ", " } ?? ""
        return RowAnswer.symbol(function) + " (" + place
    }
}
