internal import BinaryPrimitives

extension AppleIPS {
    /// Apple's own keys are set in the frame's object: `symbol`, `symbolLocation`, `sourceFile` (without folders) and `sourceLine`. Inlined calls become objects of
    /// their own in front of it, with the same `imageOffset` and `imageIndex` and `"inline":true`, as ReportCrash writes them where it knows. Blanks, line breaks and
    /// the order of what is there stay as they are.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        var edits: [TextEdit] = []
        for (frame, answer) in answers where filter.isImprovement(answer, for: frame) {
            if let edit = edit(of: frame, with: answer, in: log) { edits.add(edit) }
        }
        return edits
    }

    private static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        // Frames of the beta's form are arrays and have no room for an answer.
        guard let object = try? JSONParser().parse(log.upTo(frame.place.upperBound), from: frame.place.lowerBound), object.isObject else {
            return nil
        }
        var objects: [[UInt8]] = []
        for function in answer.functions {
            var edit = JSONObjectEdit(object, in: log)
            edit.set("symbol", to: JSONText.quoted(function.name))
            if let offset = function.offset { edit.set("symbolLocation", to: "\(offset)") }
            if let location = function.location {
                edit.set("sourceFile", to: JSONText.quoted(lastPathComponent(location.file)))
                if location.line > 0 { edit.set("sourceLine", to: "\(location.line)") }
            }
            if function.isInlined { edit.set("inline", to: "true") }
            objects.append(edit.text(in: log))
        }
        return TextEdit(range: object.range, replacement: Array(objects.joined(separator: object.separator(in: log))))
    }
}
