internal import BinaryPrimitives
package import CrashLogModel

extension AppleSample {
    /// A row becomes what `sample` writes where it knows more:
    /// `main (in App) + 48 [0x101671e30] main.m:57`. Inlined calls, which `sample` does not show,
    /// follow as rows in the same column, with `[inlined]` after the name. They are outermost
    /// first, as all of the tree is. A column of their own would move every row below them.
    ///
    /// A row with several addresses is symbolicated only if all of them are resolved, in one
    /// function. Their offsets and lines are listed as the addresses are.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let filter = AnswerFilter(report)
        let found = Dictionary(answers.map { ($0.frame.place.lowerBound, $0.answer) }, uniquingKeysWith: { first, _ in first })
        var edits: [TextEdit] = []
        for thread in report.threads {
            var index = 0
            while index < thread.frames.count {
                var end = index + 1
                while end < thread.frames.count, thread.frames[end].samples == nil { end += 1 }
                let frames = thread.frames[index..<end]
                index = end
                let rowAnswers = frames.compactMap { found[$0.place.lowerBound] }
                guard rowAnswers.count == frames.count, zip(rowAnswers, frames).allSatisfy({ filter.isImprovement($0, for: $1) }),
                    let first = frames.first, let last = frames.last
                else { continue }
                let place = first.place.lowerBound..<last.place.upperBound
                if let edit = edit(ofRow: place, with: rowAnswers, in: log) { edits.add(edit) }
            }
        }
        return edits
    }

    private static func edit(ofRow place: Range<Int>, with answers: [FrameAnswer], in log: Span<UInt8>) -> TextEdit? {
        let text = log.clamped(to: place)
        guard let row = AppleSampleRow(text), let list = row.addressList, let answer = answers.first, let holder = answer.functions.last,
            answers.allSatisfy({ $0.functions.last?.mangledName == holder.mangledName && $0.functions.last?.name == holder.name })
        else { return nil }
        let image = "  (in " + PlainText.line(row.imageName ?? answer.imageName) + ")"
        let addresses = text.clamped(to: list).text
        let more = addresses.hasSuffix(",...]") ? ",..." : ""
        var first = PlainText.line(holder.name) + image
        let offsets = answers.compactMap { $0.functions.last?.offset }
        if offsets.count == answers.count { first += " + " + offsets.map(String.init).joined(separator: ",") + more }
        first += "  " + addresses + self.location(of: answers.compactMap { $0.functions.last?.location }, count: answers.count, more: more)
        var lines = [first]
        if answers.count == 1 {
            for function in answer.functions.dropLast().reversed() {
                lines.append(
                    PlainText.line(function.name) + " [inlined]" + image + "  " + addresses
                        + self.location(of: function.location.map { [$0] } ?? [], count: 1, more: ""))
            }
        }
        return .rows(RowAnswer(range: row.nameStart..<place.count, functions: lines), in: place, of: log)
    }

    /// ` main.m:71`, or ` main.m:71,75` where the addresses are in several lines of one file;
    /// nothing where they are in several files.
    private static func location(of places: [SourceLocation], count: Int, more: String) -> String {
        guard let first = places.first, places.count == count, places.allSatisfy({ $0.file == first.file }) else { return "" }
        let file = "  " + PlainText.line(Path.foreignName(of: first.file)) + ":"
        if places.allSatisfy({ $0.line == first.line }) { return file + "\(first.line)" }
        return file + places.map { "\($0.line)" }.joined(separator: ",") + more
    }
}
