internal import BinaryPrimitives
internal import CrashLogModel

extension AppleRow {
    /// The edit that symbolicates a row: what follows the address is replaced, the columns before
    /// it stay. Inlined calls become rows of their own above it, with `[inlined]`, as reports have
    /// them since macOS 12; they repeat the row's number, so that the numbers of all others stay.
    static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleRow(log.clamped(to: frame.place)) else { return nil }
        let start = frame.place.lowerBound + row.addressEnd
        let line = LogLine(around: frame.place, in: log)
        return edit(
            replacing: start..<frame.place.upperBound, head: line.range.lowerBound..<start, ending: line.ending, separator: " ",
            with: answer, in: log)
    }

    /// - Parameters:
    ///   - range: what the result replaces.
    ///   - head: what each inlined call's row begins with: the row up to the result.
    ///   - separator: between the head and the result.
    static func edit(
        replacing range: Range<Int>, head: Range<Int>, ending: [UInt8], separator: String, with answer: FrameAnswer,
        in log: Span<UInt8>
    ) -> TextEdit {
        var replacement: [UInt8] = []
        for (index, function) in answer.functions.enumerated() {
            if index > 0 { replacement += ending + log.clamped(to: head).copied() }
            let text = SymbolText.text(for: function)
            replacement += Array((separator + text).utf8)
        }
        return TextEdit(range: range, replacement: replacement)
    }
}
