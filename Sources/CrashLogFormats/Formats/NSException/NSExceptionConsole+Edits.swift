internal import BinaryPrimitives
package import CrashLogModel

extension NSExceptionConsole {
    /// Numbered rows are symbolicated as `AppleRow` has it. An entry on a line of its own, which
    /// has no room for a name, gets it after two spaces: ` 11076, -[CrashExampleAppDelegate
    /// performTransition] + 88 (CrashExampleAppDelegate.m:94)`. A list of addresses on one line
    /// becomes numbered rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AppleAddressList.edits(.console, of: report, answers: answers, in: log, row: AppleRow.edit, entry: edit)
    }

    private static func edit(ofEntry frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        var rest = log.clamped(to: frame.place)
        guard (rest.takeAddress() ?? rest.takeDecimal()) != nil else { return nil }
        _ = rest.take(",")
        return AppleRow.edit(at: frame.place, from: frame.place.count - rest.count, separator: "  ", with: answer, in: log)
    }
}
