internal import BinaryPrimitives
package import CrashLogModel

extension SymbolizerMarkup {
    /// An element is followed by the words that llvm-symbolizer's filter would have put in its
    /// place, `outer /src/a.c:12:3`. Above it is a row for each inlined call, numbered as the
    /// filter does: `#0.1 inner /src/a.c:3:5`. The filter drops the elements and with them the raw
    /// addresses. Here they stay, so that they can be looked up in other files later.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let line = LogLine(around: frame.place, in: log)
            // An element inside a sentence gets one function, the innermost, as the filter writes
            // it: `inner[/src/a.c:3:5]`.
            let isText = report.additionalBacktraces.contains { $0.frames.contains { $0.place == frame.place } }
            guard !isText else {
                guard let inner = answer.functions.first else { return nil }
                return TextEdit(range: frame.place, replacement: log.clamped(to: frame.place).copied() + words(inner, isInText: true))
            }
            guard let outer = answer.functions.last else { return nil }
            var replacement: [UInt8] = []
            let head = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
            for (number, function) in answer.functions.dropLast().enumerated() {
                if number > 0 { replacement += head }
                replacement += Array("#\(frame.index).\(number + 1)".utf8) + words(function) + line.ending
            }
            if !replacement.isEmpty { replacement += head }
            replacement += log.clamped(to: frame.place).copied() + words(outer)
            return TextEdit(range: frame.place, replacement: replacement)
        }
    }

    private static func words(_ function: FrameAnswer.Function, isInText: Bool = false) -> [UInt8] {
        let name = " " + plain(function.name)
        guard let location = function.location else { return Array(name.utf8) }
        var place = plain(location.file) + ":\(location.line)"
        if location.column > 0 { place += ":\(location.column)" }
        return Array((isInText ? name + "[" + place + "]" : name + " " + place).utf8)
    }

    /// A name with an element in it (`{{{reset}}}`) would be one for the next filter.
    private static func plain(_ text: String) -> String {
        PlainText.line(text).split(separator: "{{{", omittingEmptySubsequences: false).joined(separator: "{{\\u{7b}")
    }
}
