internal import BinaryPrimitives
package import CrashLogModel

extension SentryEvent {
    /// The keys that Sentry's symbolicator sets: `function`, `symbol_addr`, `abs_path`, `filename`
    /// (the file without its folder), `lineno`, and `colno` where a column is known.
    ///
    /// Inlined calls become frames of their own with the same `instruction_addr`, without any mark,
    /// as Sentry's do. Since the frames are listed outermost first, they come after the function
    /// that they were inlined into.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log, by: edit)
    }

    private static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let object = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound), object.isObject else {
            return nil
        }
        var objects: [[UInt8]] = []
        for function in answer.functions.reversed() {
            var edit = JSONObjectEdit(object, in: log)
            edit.set("function", to: JSONString.quoted(function.name))
            if let start = function.offset.flatMap({ offset in frame.address.flatMap { $0.value >= offset ? $0.value - offset : nil } }) {
                edit.set("symbol_addr", toAddress: start, like: object["instruction_addr"])
            } else {
                edit.remove("symbol_addr")
            }
            if let location = function.location {
                edit.set("filename", to: JSONString.quoted(Path.foreignName(of: location.file)))
                edit.set("abs_path", to: JSONString.quoted(location.file))
                edit.set("lineno", to: "\(location.line)")
                if location.column > 0 { edit.set("colno", to: "\(location.column)") }
            }
            objects.append(edit.text(in: log))
        }
        return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
    }
}
