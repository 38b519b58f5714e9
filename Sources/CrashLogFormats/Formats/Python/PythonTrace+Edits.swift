internal import BinaryPrimitives
package import CrashLogModel

extension PythonTrace {
    /// Rows of C code get the symbol and the offset where the interpreter writes those it knows,
    /// and the place in the source after the row. Inlined calls become rows above. Frames of Python
    /// code have nothing to resolve.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let bytes = log.clamped(to: frame.place)
        guard let row = PythonCodeRow(bytes) else { return nil }
        let functions = answer.functions.map { function in
            let place = function.location.flatMap { $0.line > 0 ? " at " + SourceLocationText.text($0) : nil }
            return (", at " + RowAnswer.symbol(function), place ?? "")
        }
        let rows = RowAnswer(
            range: row.symbolStart..<bytes.count, keeping: row.addressStart..<row.answerStart, functions: functions)
        return TextEdit.rows(rows, in: frame.place, of: log)
    }
}
