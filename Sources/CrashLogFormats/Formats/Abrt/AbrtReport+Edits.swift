internal import BinaryPrimitives
package import CrashLogModel

extension AbrtReport {
    /// `function_name` is satyr's own key. Its frames of cores have none for a place in the source;
    /// they get those of its frames of gdb (`source_file`, `source_line` of `struct sr_gdb_frame`).
    /// Inlined calls become objects in front, with `"inlined": true`.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.place, of: log, functions: answer.functions) { function, edit in
            edit.set("function_name", to: JSONString.quoted(function.name))
            if let location = function.location {
                edit.set("source_file", to: JSONString.quoted(location.file))
                edit.set("source_line", to: "\(location.line)")
            }
            if function.isInlined { edit.set("inlined", to: "true") }
        }
    }
}
