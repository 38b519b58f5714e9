internal import BinaryPrimitives

extension SwiftRuntimeTrace {
    /// A row is written again from its address on, in the format's own meaning: the symbol's start, the name and the offset from it; so that who reads the row again finds the same frame.
    /// The place in the source follows as the backtracer writes it. Inlined calls become rows above it; they have no start of their own and print the frame's address, without an offset.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) {
            guard let row = SwiftRuntimeRow(log.clamped(to: frame.place)) else { continue }
            let start = frame.place.lowerBound + row.addressStart
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array(text(function, at: row).utf8)
            }
            edits.add(TextEdit(range: start..<frame.place.upperBound, replacement: replacement))
        }
        return edits
    }

    private static func text(_ function: FrameAnswer.Function, at row: SwiftRuntimeRow) -> String {
        let offset = function.isInlined ? nil : function.offset.flatMap { $0 <= row.programCounter ? $0 : nil }
        var text =
            "0x" + hexadecimal(row.programCounter - (offset ?? 0), digits: row.addressDigits) + " " + AppleSymbolText.oneLine(function.name)
        if function.isInlined { text += " [inlined]" }
        if let offset { text += " + \(offset)" }
        if let location = function.location { text += " at " + SwiftSymbolText.text(location) }
        return text
    }
}
