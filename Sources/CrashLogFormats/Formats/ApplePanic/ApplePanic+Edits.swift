internal import BinaryPrimitives
package import CrashLogModel

extension ApplePanic {
    /// A row gets what the kernel prints where it has kept its symbols, and the line after it:
    /// `mach_kernel : panic + 0x54 (debug.c:94)`. Inlined calls become rows above it, with
    /// `[inlined]`. Addresses that are alone on a line (PowerPC) have no place for a result.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) {
            guard let row = ApplePanicRow(log.clamped(to: frame.place)) else { continue }
            let line = LogLine(around: frame.place, in: log)
            let start = frame.place.lowerBound + row.answerStart
            let head = line.ending + log.clamped(to: line.range.lowerBound..<start).copied()
            let image = " " + PlainText.line(row.imageName ?? answer.imageName) + " : "
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                replacement += (index > 0 ? head : []) + Array((image + words(function)).utf8)
            }
            edits.add(TextEdit(range: start..<frame.place.upperBound, replacement: replacement))
        }
        return edits
    }

    private static func words(_ function: FrameAnswer.Function) -> String {
        var text = PlainText.line(function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset = function.offset { text += " + 0x" + hexadecimal(offset, digits: 0) }
        guard let location = function.location else { return text }
        return text + " (" + PlainText.line(Path.foreignName(of: location.file)) + ":\(location.line))"
    }
}
