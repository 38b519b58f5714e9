internal import BinaryPrimitives
internal import CrashLogModel

extension AppleRow {
    /// The edit that symbolicates a row: what follows the address is replaced, the columns before
    /// it stay. Inlined calls become rows of their own above it, with `[inlined]`, as reports have
    /// them since macOS 12; they repeat the row's number, so that the numbers of all others stay.
    static func edit(of frame: Frame, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit? {
        guard let row = AppleRow(log.clamped(to: frame.place)) else { return nil }
        return edit(at: frame.place, from: row.addressEnd, separator: " ", with: answer, in: log)
    }

    /// - Parameters:
    ///   - start: of what the result replaces, counted in the row: the rest of it. What is before
    ///     it is in each inlined call's row.
    ///   - separator: in front of the result.
    static func edit(at place: Range<Int>, from start: Int, separator: String, with answer: FrameAnswer, in log: Span<UInt8>) -> TextEdit {
        let words = answer.functions.map { separator + SymbolText.text(for: $0) }
        return .rows(RowAnswer(range: start..<place.count, functions: words), in: place, of: log)
    }
}
