internal import BinaryPrimitives
internal import CrashLogModel

extension SwiftBacktraceJSON {
    /// The edit for a frame object: `symbol`, `offset`, `description`, `image` and `sourceLocation`
    /// are set as the backtracer sets them, everything else in it stays. Inlined calls become
    /// objects of their own in front of it, with `"inlined": true`.
    static func edit(of frame: Frame, with answer: FrameAnswer, isApple: Bool, in log: Span<UInt8>) -> TextEdit? {
        JSONFrame.edit(at: frame.place, of: log, functions: answer.functions) { function, edit in
            let offset = SwiftBacktrace.printedOffset(function, of: frame, isApple: isApple) ?? 0
            if function.isInlined { edit.set("inlined", to: "true") }
            if function.name.hasPrefix(SwiftBacktrace.runtimeFailure) { edit.set("runtimeFailure", to: "true") }
            if SwiftFunctionKind.isThunk(function.mangledName) { edit.set("thunk", to: "true") }
            if SwiftFunctionKind.isSystem(function) { edit.set("system", to: "true") }
            edit.set("symbol", to: JSONString.quoted(function.mangledName))
            edit.set("offset", to: "\(offset)")
            edit.set("description", to: JSONString.quoted(offset > 0 ? "\(function.name) + \(offset)" : function.name))
            if edit.object["image"] == nil { edit.set("image", to: JSONString.quoted(answer.imageName)) }
            if let location = function.location {
                let file = JSONString.quoted(location.file)
                edit.set("sourceLocation", to: "{ \"file\": \(file), \"line\": \(location.line), \"column\": \(location.column) }")
            }
        }
    }
}
