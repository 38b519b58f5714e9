internal import BinaryPrimitives
package import CrashLogModel

extension SwiftRuntimeTrace {
    /// A row is written again from its address on, in the format's own meaning: the symbol's start,
    /// the name and the offset from it; so that who reads the row again finds the same frame. The
    /// place in the source follows as the backtracer writes it. Inlined calls become rows above it;
    /// they have no start of their own and print the frame's address, without an offset.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = SwiftRuntimeRow(log.clamped(to: frame.place)) else { return nil }
        let rows = RowAnswer(range: row.addressStart..<frame.place.count, functions: answer.functions.map { text($0, at: row) })
        return TextEdit.rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function, at row: SwiftRuntimeRow) -> String {
        let offset = function.isInlined ? nil : function.offset.flatMap { $0 <= row.programCounter ? $0 : nil }
        var text =
            "0x" + hexadecimal(row.programCounter - (offset ?? 0), digits: row.addressDigits) + " " + PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset { text += " + \(offset)" }
        if let location = function.location { text += " at " + SwiftSymbolText.text(location) }
        return text
    }
}
