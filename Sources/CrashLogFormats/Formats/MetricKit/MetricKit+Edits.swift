internal import BinaryPrimitives
package import CrashLogModel

extension MetricKit {
    /// The keys that Apple's own symbolicated trees have (`DiagnosticLogCallStackNode` of the App
    /// Store Connect API): `symbolName`, `offsetIntoSymbol`, `fileName`, `lineNumber`.
    ///
    /// They come first in the frame's object, before its sub-frames. A frame keeps its one object:
    /// calls that were inlined into its function are listed in it as `inlinedCalls`, innermost
    /// first, because a sub-frame would be a caller or a sample of its own.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var found: [TextEdit] = []
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) { found += edits(of: frame, with: answer, in: log) }
        var edits: [TextEdit] = []
        for edit in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) { edits.add(edit) }
        return edits
    }

    private static func edits(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> [TextEdit] {
        guard let object = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound),
            let first = object.members.first,
            let function = answer.functions.last
        else { return [] }
        // In App Store Connect's trees all values are strings.
        let isText = object["address"]?.string != nil
        var members = [("symbolName", JSONString.quoted(function.name))]
        if let offset = function.offset { members.append(("offsetIntoSymbol", isText ? "\"\(offset)\"" : "\(offset)")) }
        if let location = function.location {
            members.append(("fileName", JSONString.quoted(location.file)))
            members.append(("lineNumber", isText ? "\"\(location.line)\"" : "\(location.line)"))
        }
        let inlined = answer.functions.dropLast()
        if !inlined.isEmpty {
            members.append(("inlinedCalls", "[" + inlined.map { call($0, isText: isText) }.joined(separator: ", ") + "]"))
        }

        var edits: [TextEdit] = []
        let style = JSONStyle(of: object, in: log)
        var added = ""
        for (key, value) in members {
            if let member = object.member(key) {
                edits.append(TextEdit(range: member.value.range, replacement: Array(value.utf8)))
            } else {
                added += style.member(key, value) + "," + style.afterComma
            }
        }
        if !added.isEmpty {
            let start = first.keyRange.lowerBound
            edits.append(TextEdit(range: start..<start, replacement: Array(added.utf8)))
        }
        return edits
    }

    private static func call(_ function: FrameAnswer.Function, isText: Bool) -> String {
        var text = "{\"symbolName\": " + JSONString.quoted(function.name)
        if let location = function.location {
            text +=
                ", \"fileName\": " + JSONString.quoted(location.file) + ", \"lineNumber\": "
                + (isText ? "\"\(location.line)\"" : "\(location.line)")
        }
        return text + "}"
    }
}
