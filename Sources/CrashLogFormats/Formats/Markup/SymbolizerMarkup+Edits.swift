internal import BinaryPrimitives
package import CrashLogModel

extension SymbolizerMarkup {
    /// An element is followed by the words that llvm-symbolizer's filter would have put in its
    /// place, `outer /src/a.c:12:3`. Above it is a row for each inlined call, numbered as the
    /// filter does: `#0.1 inner /src/a.c:3:5`. The filter drops the elements and with them the raw
    /// addresses. Here they stay, so that they can be looked up in other files later.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            // An element inside a sentence gets one function, the innermost, as the filter writes
            // it: `inner[/src/a.c:3:5]`.
            let isText = report.additionalBacktraces.contains { $0.frames.contains { $0.place == frame.place } }
            guard !isText else {
                guard let inner = answer.functions.first else { return nil }
                return .rows(above: [], frame.place, followedBy: words(inner, isInText: true), in: log)
            }
            guard let outer = answer.functions.last else { return nil }
            let above = answer.functions.dropLast().enumerated().map { "#\(frame.index).\($0 + 1)" + words($1) }
            return .rows(above: above, frame.place, followedBy: words(outer), in: log)
        }
    }

    private static func words(_ function: FrameAnswer.Function, isInText: Bool = false) -> String {
        let name = " " + plain(function.name)
        guard let location = function.location else { return name }
        var place = plain(location.file) + ":\(location.line)"
        if location.column > 0 { place += ":\(location.column)" }
        return isInText ? name + "[" + place + "]" : name + " " + place
    }

    /// A name with an element in it (`{{{reset}}}`) would be one for the next filter.
    private static func plain(_ text: String) -> String {
        let line = PlainText.line(text)
        guard line.utf8.contains(UInt8(ascii: "{")) else { return line }
        return line.split(separator: "{{{", omittingEmptySubsequences: false).joined(separator: "{{\\u{7b}")
    }
}
