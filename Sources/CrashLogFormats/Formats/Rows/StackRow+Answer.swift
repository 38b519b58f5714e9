internal import BinaryPrimitives
internal import CrashLogModel

extension StackRow {
    /// Takes a name and its place from words that have nothing else:
    /// `slot [inlined] at /src/queue.h:7`. They come before the row's own name.
    mutating func takeWords(_ style: RowAnswer.Style, in line: Span<UInt8>, _ range: Range<Int>) {
        let name = takeEnd(style, in: line, range)
        if !name.isEmpty, !line.clamped(to: name).equals("<unknown>") { answer = name }
    }

    /// Takes the place in the source, and `[inlined]` before it, from the end of a row.
    /// - Returns: what is left, without blanks at both ends.
    mutating func takeEnd(_ style: RowAnswer.Style, in line: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var words = range.trimmed(in: line)
        let (open, close) =
            switch style {
            case .at: (" at ", "")
            case .parentheses: ("(", ")")
            case .brackets: ("[", "]")
            }
        if line.clamped(to: words).hasSuffix(close), let mark = line.upTo(words.upperBound).lastRange(of: open),
            mark.lowerBound >= range.lowerBound, style == .at || mark.lowerBound == words.lowerBound || isBlank(line[mark.lowerBound - 1]),
            takePlace(style, in: line, mark.upperBound..<words.upperBound - close.utf8.count)
        {
            words = (range.lowerBound..<mark.lowerBound).trimmed(in: line)
        }
        guard line.clamped(to: words).hasSuffix("[inlined]") else { return words }
        isInlined = true
        return (words.lowerBound..<words.upperBound - "[inlined]".utf8.count).trimmed(in: line)
    }

    /// `/src/a.c:7:3`, `/src/a.c:7,3`
    private mutating func takePlace(_ style: RowAnswer.Style, in line: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var text = line.clamped(to: range)
        var column = 0
        if style == .brackets, let comma = text.lastIndex(of: UInt8(ascii: ",")) {
            var digits = text.from(comma + 1)
            column = digits.takeDecimal().flatMap { Int(exactly: $0) } ?? 0
            if digits.count == 0 { text = text.upTo(comma) }
        }
        guard var place = SourceLocationText.read(text), place.line > 0 || style == .at else { return false }
        if column > 0 { place.column = column }
        set(place, at: range.lowerBound)
        return true
    }

    /// - Parameter start: where the file's name begins in the line.
    mutating func set(_ place: SourceLocation, at start: Int) {
        file = start..<start + place.file.utf8.count
        line = place.line
        column = place.column
    }
}

extension Range<Int> {
    /// Without the blanks at both ends.
    func trimmed(in line: Span<UInt8>) -> Range<Int> {
        var (start, end) = (lowerBound, upperBound)
        while start < end, isBlank(line[start]) { start += 1 }
        while start < end, isBlank(line[end - 1]) { end -= 1 }
        return start..<end
    }
}
