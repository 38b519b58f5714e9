internal import BinaryPrimitives
package import CrashLogModel

extension AndroidTombstone {
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AndroidEdits.edits(of: report, answers: answers, in: log)
    }
}

extension AndroidANR {
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AndroidEdits.edits(of: report, answers: answers, in: log)
    }
}

/// The text of a row stays. A name that it lacks is put where the unwinder would have printed it,
/// ` (Shop::sell(int)+52)`. File, line and inlined calls follow on lines below it, as AOSP's
/// symbolizer of tombstones prints them (`AndroidSourceLine`), after whatever the row's own line
/// begins with.
enum AndroidEdits {
    static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) {
            let text = log.clamped(to: frame.place)
            guard let row = AndroidRow(text), let holder = answer.functions.last else {
                if let edit = symbolized(frame, answer, in: log) { edits.add(edit) }
                continue
            }
            if row.printed?.name == nil {
                let range = frame.place.lowerBound + row.nameRange.lowerBound..<frame.place.lowerBound + row.nameRange.upperBound
                let offset = holder.offset.map { "+\($0)" } ?? ""
                edits.add(TextEdit(range: range, replacement: Array((" (" + PlainText.line(holder.name) + offset + ")").utf8)))
            }
            guard answer.functions.contains(where: { $0.location != nil }) else { continue }
            let line = LogLine(around: frame.place, in: log)
            let head = line.ending + log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied() + Array("          ".utf8)
            let end = frame.place.upperBound
            let replacement = answer.functions.flatMap { head + Array(AndroidSourceLine.text($0).utf8) }
            edits.add(TextEdit(range: end..<end, replacement: replacement))
        }
        return edits
    }

    /// A sanitizer's row gets function, file and line after its address, as its own symbolizer
    /// would have printed them. Inlined calls become rows above it with its number.
    private static func symbolized(_ frame: Frame, _ answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: frame.place)
        guard let row = SanitizerRow(inAndroidLog: text), row.unwound != nil, let module = row.moduleStart else { return nil }
        let words = answer.functions.map { " in " + SanitizerEdits.words($0) }
        return .rows(RowAnswer(range: row.headEnd..<module - 1, functions: words), in: frame.place, of: log)
    }
}
