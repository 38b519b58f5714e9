internal import BinaryPrimitives
package import CrashLogModel

extension KSCrash {
    /// `symbol_name` and `symbol_addr` (where the function begins in the process) are set as
    /// KSCrash sets them from `dladdr`, in the spelling of the frame's own address.
    ///
    /// KSCrash never knows a line; its one key for a place in the source is `line_of_code`, which gets `file:line`. Inlined calls become
    /// objects of their own in front, with the same addresses, without `symbol_addr`, and with `"inlined": true`. Frames of a Bugsnag event
    /// get Bugsnag's keys.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        JSONFrameKeys.edit(of: frame, with: answer, in: log, [.ksCrash, .bugsnag])
    }
}
