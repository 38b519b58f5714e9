internal import BinaryPrimitives
package import CrashLogModel

extension ApportReport {
    /// The rows are gdb's, and so are the results. A stack that is a signature alone holds none: it
    /// is compared as it is.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log, by: GDBBacktrace.edit)
    }
}
