internal import BinaryPrimitives
package import CrashLogModel

extension KSCrash {
    /// `symbol_name` and `symbol_addr` (where the function begins in the process) are set as
    /// KSCrash sets them from `dladdr`, in the spelling of the frame's own address.
    ///
    /// KSCrash never knows a line; its one key for a place in the source is `line_of_code`, which
    /// gets `file:line`. Inlined calls become objects of their own in front, with the same
    /// addresses, without `symbol_addr`, and with `"inlined": true`. Frames of a Bugsnag event get
    /// Bugsnag's keys: `method`, `symbolAddress`, `file`, `lineNumber`.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.place, of: log, functions: answer.functions) { function, edit in
            let isBugsnag = edit.object["frameAddress"] != nil
            edit.set(isBugsnag ? "method" : "symbol_name", to: JSONString.quoted(function.name))
            edit.set(
                isBugsnag ? "symbolAddress" : "symbol_addr", toAddress: function.start(from: frame.address),
                like: edit.object[isBugsnag ? "frameAddress" : "instruction_addr"])
            if let location = function.location {
                if isBugsnag {
                    edit.set("file", to: JSONString.quoted(location.file))
                    edit.set("lineNumber", to: "\(location.line)")
                } else {
                    edit.set("line_of_code", to: JSONString.quoted("\(location.file):\(location.line)"))
                }
            }
            if function.isInlined { edit.set("inlined", to: "true") }
        }
    }
}
