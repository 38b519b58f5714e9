internal import BinaryPrimitives
package import CrashLogModel

extension AbrtReport {
    /// `function_name` is satyr's own key. Its frames of cores have none for a place in the source;
    /// they get those of its frames of gdb (`source_file`, `source_line` of `struct sr_gdb_frame`).
    /// Inlined calls become objects in front, with `"inlined": true`.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            guard let object = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound), object.isObject
            else { return nil }
            let objects = answer.functions.map { function in
                var edit = JSONObjectEdit(object, in: log)
                edit.set("function_name", to: JSONString.quoted(function.name))
                if let location = function.location {
                    edit.set("source_file", to: JSONString.quoted(location.file))
                    edit.set("source_line", to: "\(location.line)")
                }
                if function.isInlined { edit.set("inlined", to: "true") }
                return edit.text(in: log)
            }
            return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
        }
    }
}
