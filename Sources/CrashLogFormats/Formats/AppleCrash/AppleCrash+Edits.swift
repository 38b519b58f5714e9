internal import BinaryPrimitives
package import CrashLogModel

extension AppleCrash {
    /// Rows are symbolicated as `AppleRow` has it: `name + offset (File.m:94)` after the address. A
    /// list of bare addresses under `Last Exception Backtrace:` becomes rows, as symbolicatecrash
    /// turns it into rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        var expanded = 0
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) && frame.place.lowerBound >= expanded {
            if let edit = AppleRow.edit(of: frame, with: answer, in: log)
                ?? AppleTranslatedRow.edit(of: frame, with: answer, in: log)
            {
                edits.add(edit)
            } else if let list = AppleAddressList(around: frame.place, in: log) {
                edits.add(list.rows(.report, of: report, answers: answers, filter, in: log))
                expanded = list.range.upperBound
            }
        }
        return edits
    }
}
