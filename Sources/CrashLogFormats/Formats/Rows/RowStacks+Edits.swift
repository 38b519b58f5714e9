internal import BinaryPrimitives
package import CrashLogModel

extension RowStacks {
    /// The row stays as it is, followed by what `addr2line -pfi` prints:
    ///
    ///     2: (Harbour::moor()+0x91) [0x562cbdfcaa61] Harbour::moor() at /src/harbour.cc:91
    ///      (inlined by) main at /src/main.cc:12
    ///     @     0x562cbdfcaa61 Harbour::moor() ==> Harbour::moor() at /src/harbour.cc:91
    ///
    /// Where no bracket closes the row, a mark divides it from the result. Rows of Darwin's
    /// `backtrace_symbols(3)` become what Apple's reports have.
    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        // Rows of a family's own may go on after the bracket.
        let endsInBracket = report.format == RowStacks.name || report.format == StackCards.glibc.name
        let card = StackCards.all.first { $0.name == report.format }
        return AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            let place = log.clamped(to: frame.place)
            if let edit = card?.edit { return edit(frame, answer, log) }
            let row = StackRow(place, isLenient: true)
            if let own = card?.answer, row?.style != .bare { return own(place, answer).map { TextEdit.rows($0, in: frame.place, of: log) } }
            let line = LogLine(around: frame.place, in: log)
            if sharesLine(frame, line, log) {
                return hasNoRoom.contains(report.format) ? nil : edit(in: frame.place, answer)
            }
            guard let row else { return nil }
            let hasDarwinsForm = row.style == .bare && (row.module != nil || card?.answer != nil) && row.addressBracket == 0
            if hasDarwinsForm, report.format != StackCards.glibc.name,
                let edit = AppleRow.edit(of: frame, with: answer, in: log)
            {
                return edit
            }
            let prefix = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
            let end =
                endsInBracket && row.addressBracket == UInt8(ascii: "[") && row.answer == nil && row.file == nil
                ? row.addressEnd(in: place) : nil
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + prefix }
                let mark = index > 0 ? " " + AddressToLineText.inlinedBy : end == nil ? RowLexer.answerMark : " "
                replacement += Array((mark + AddressToLineText.text(function)).utf8)
            }
            return TextEdit(range: frame.place.lowerBound + (end ?? place.count)..<frame.place.upperBound, replacement: replacement)
        }
    }

    /// Between the rows of these in one line is no room: their readers take the whole line.
    private static let hasNoRoom: Set<String> = [StackCards.seastar.name, StackCards.clickhouse.name, StackCards.illumos.name]

    /// Whether other rows are in the line: `Backtrace:0x4008b562:0x3ffc3440 0x400dc81f:0x3ffc3450`.
    private static func sharesLine(_ frame: Frame, _ line: LogLine, _ log: Span<UInt8>) -> Bool {
        log.clamped(to: frame.place.upperBound..<max(frame.place.upperBound, line.range.upperBound)).trimmed().count > 0
    }

    /// All functions in the line itself: a line of their own would cut it.
    private static func edit(in place: Range<Int>, _ answer: FrameAnswer) -> TextEdit {
        let words = answer.functions.map { AddressToLineText.text($0) }.joined(separator: " " + AddressToLineText.inlinedBy)
        return TextEdit(range: place.upperBound..<place.upperBound, replacement: Array((RowLexer.answerMark + words).utf8))
    }
}

extension StackRow {
    /// Where the brackets around the address close, if nothing of the row follows but a name: an
    /// result takes that one's place.
    fileprivate func addressEnd(in row: Span<UInt8>) -> Int? {
        guard var end = addressRange?.upperBound else { return nil }
        while row.at(end) == UInt8(ascii: "]") { end += 1 }
        return module.map { $0.lowerBound > end } == true || id != nil ? nil : end
    }
}
