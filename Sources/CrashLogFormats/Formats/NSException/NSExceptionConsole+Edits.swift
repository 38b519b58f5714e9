internal import BinaryPrimitives
package import CrashLogModel

extension NSExceptionConsole {
    /// Numbered rows are symbolicated as `AppleRow` has it. An entry on a line of its own, which
    /// has no room for a name, gets it after two spaces: ` 11076, -[CrashExampleAppDelegate
    /// performTransition] + 88 (CrashExampleAppDelegate.m:94)`. A list of addresses on one line
    /// becomes numbered rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        var expanded = 0
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) && frame.place.lowerBound >= expanded {
            if let edit = AppleRow.edit(of: frame, with: answer, in: log) {
                edits.add(edit)
            } else if let list = AppleAddressList(around: frame.place, in: log) {
                edits.add(list.rows(.console, of: report, answers: answers, filter, in: log))
                expanded = list.range.upperBound
            } else if let edit = edit(ofEntry: frame, with: answer, in: log) {
                edits.add(edit)
            }
        }
        return edits
    }

    private static func edit(ofEntry frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        var rest = log.clamped(to: frame.place)
        guard (rest.takeAddress() ?? rest.takeDecimal()) != nil else { return nil }
        _ = rest.take(",")
        return AppleRow.edit(at: frame.place, from: frame.place.count - rest.count, separator: "  ", with: answer, in: log)
    }
}
