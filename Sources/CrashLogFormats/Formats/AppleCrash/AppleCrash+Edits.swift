internal import BinaryPrimitives
package import CrashLogModel

extension AppleCrash {
    /// Rows are symbolicated as `AppleRow` has it: `name + offset (File.m:94)` after the address. A
    /// list of bare addresses under `Last Exception Backtrace:` becomes rows, as symbolicatecrash
    /// turns it into rows, if at least one of them is resolved.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AppleAddressList.edits(.report, of: report, answers: answers, in: log) { frame, answer, log in
            AppleRow.edit(of: frame, with: answer, in: log) ?? AppleTranslatedRow.edit(of: frame, with: answer, in: log)
        }
    }
}
