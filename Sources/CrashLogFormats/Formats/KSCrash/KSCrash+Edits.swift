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
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log, by: edit)
    }

    private static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let object = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound), object.isObject else {
            return nil
        }
        let isBugsnag = object["frameAddress"] != nil
        let symbolKey = isBugsnag ? "symbolAddress" : "symbol_addr"
        var objects: [[UInt8]] = []
        for function in answer.functions {
            var edit = JSONObjectEdit(object, in: log)
            edit.set(isBugsnag ? "method" : "symbol_name", to: JSONString.quoted(function.name))
            if let start = function.offset.flatMap({ offset in frame.address.flatMap { $0.value >= offset ? $0.value - offset : nil } }) {
                edit.set(symbolKey, toAddress: start, like: object[isBugsnag ? "frameAddress" : "instruction_addr"])
            } else {
                edit.remove(symbolKey)
            }
            if let location = function.location {
                if isBugsnag {
                    edit.set("file", to: JSONString.quoted(location.file))
                    edit.set("lineNumber", to: "\(location.line)")
                } else {
                    edit.set("line_of_code", to: JSONString.quoted("\(location.file):\(location.line)"))
                }
            }
            if function.isInlined { edit.set("inlined", to: "true") }
            objects.append(edit.text(in: log))
        }
        return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
    }
}
