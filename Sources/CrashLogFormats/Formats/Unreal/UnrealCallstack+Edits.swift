internal import BinaryPrimitives
package import CrashLogModel

extension UnrealCallstack {
    /// After `Module!` follow the function and `[FILE:LINE]`, or `(+0xOFFSET)` if the place is not
    /// known. The engine knows no inlined calls; they are rows of the same address above.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = UnrealRow(log.clamped(to: frame.place)), row.nameStart > 0 else { return nil }
        let rows = RowAnswer(range: row.nameStart..<frame.place.count, functions: answer.functions.map { text($0, of: frame) })
        return TextEdit.rows(rows, in: frame.place, of: log)
    }

    private static func text(_ function: FrameAnswer.Function, of frame: Frame) -> String {
        let name = PlainText.line(function.name)
        if let location = function.location { return name + " [\(PlainText.line(location.file)):\(location.line)]" }
        guard let offset = function.offset else { return name + " []" }
        // The engine counts to the address that it looked up.
        return name + "(+0x" + String(frame.kind == .returnAddress && offset > 0 ? offset - 1 : offset, radix: 16) + ")"
    }
}
