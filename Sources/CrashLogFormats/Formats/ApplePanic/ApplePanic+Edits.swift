internal import BinaryPrimitives
package import CrashLogModel

extension ApplePanic {
    /// A row gets what the kernel prints where it has kept its symbols, and the line after it:
    /// `mach_kernel : panic + 0x54 (debug.c:94)`. Inlined calls become rows above it, with
    /// `[inlined]`. Addresses that are alone on a line (PowerPC) have no place for a result.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = ApplePanicRow(log.clamped(to: frame.place)) else { return nil }
        let image = " " + PlainText.line(row.imageName ?? answer.imageName) + " : "
        let rows = RowAnswer(range: row.answerStart..<frame.place.count, functions: answer.functions.map { image + words($0) })
        return .rows(rows, in: frame.place, of: log)
    }

    private static func words(_ function: FrameAnswer.Function) -> String {
        var text = RowAnswer.name(function)
        if let offset = function.offset { text += " + 0x" + hexadecimal(offset, digits: 0) }
        guard let location = function.location else { return text }
        return text + " (" + PlainText.line(Path.foreignName(of: location.file)) + ":\(location.line))"
    }
}
