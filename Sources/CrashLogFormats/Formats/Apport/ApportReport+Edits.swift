internal import BinaryPrimitives
package import CrashLogModel

extension ApportReport {
    /// The rows are gdb's, and so are the results. A stack that is a signature alone holds none: it
    /// is compared as it is.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        GDBBacktrace.edit(of: frame, with: answer, in: log)
    }
}
