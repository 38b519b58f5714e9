internal import BinaryPrimitives
package import CrashLogModel

extension SentryEvent {
    /// The keys that Sentry's symbolicator sets: `function`, `symbol_addr`, `abs_path`, `filename`
    /// (the file without its folder), `lineno`, and `colno` where a column is known.
    ///
    /// Inlined calls become frames of their own with the same `instruction_addr`, without any mark,
    /// as Sentry's do. Since the frames are listed outermost first, they come after the function
    /// that they were inlined into.
    package static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.place, of: log, functions: answer.functions.reversed()) { function, edit in
            edit.set("function", to: JSONString.quoted(function.name))
            edit.set("symbol_addr", toAddress: function.start(from: frame.address), like: edit.object["instruction_addr"])
            if let location = function.location {
                edit.set("filename", to: JSONString.quoted(Path.foreignName(of: location.file)))
                edit.set("abs_path", to: JSONString.quoted(location.file))
                edit.set("lineno", to: "\(location.line)")
                if location.column > 0 { edit.set("colno", to: "\(location.column)") }
            }
        }
    }
}
