internal import BinaryPrimitives

/// Where an answer goes in a row of a family that has its own words for it.
///
///     (EE) 3: /usr/lib/libqueue.so.1 (queue_push+0x1d) [0x7f1c2a00106d] slot [inlined] at /src/queue.h:7
///     (EE) 3: /usr/lib/libqueue.so.1 (queue_push+0x1d) [0x7f1c2a00106d] queue_push at /src/queue.c:23:18
///
/// What is before and after `range` is in the rows of all functions.
struct RowAnswer {
    /// Counted in the row.
    var range: Range<Int>
    /// What of `range` stays, between a function's name and its place. Counted in the row.
    var kept = 0..<0
    /// What takes the place of `range`, innermost function first.
    var functions: [(name: String, place: String)]

    init(range: Range<Int>, keeping kept: Range<Int> = 0..<0, functions: [(name: String, place: String)]) {
        self.range = range
        self.kept = kept
        self.functions = functions
    }

    init(range: Range<Int>, functions: [String]) { self.init(range: range, functions: functions.map { ($0, "") }) }

    /// How the place in the source is written after a name.
    enum Style: Sendable {
        /// ` at /src/a.c:7:3`
        case at
        /// ` (/src/a.c:7:3)`
        case parentheses
        /// ` [/src/a.c:7,3]`
        case brackets
    }

    static func name(_ function: FrameAnswer.Function) -> String {
        AppleSymbolText.oneLine(function.name) + (function.isInlined ? " [inlined]" : "")
    }

    static func place(_ function: FrameAnswer.Function, _ style: Style) -> String {
        guard let location = function.location else { return "" }
        switch style {
        case .at: return " at " + SourcePlaceText.text(location, withColumn: true)
        case .parentheses: return " (" + SourcePlaceText.text(location, withColumn: true) + ")"
        case .brackets: return " [" + SourcePlaceText.text(location) + (location.column > 0 ? ",\(location.column)" : "") + "]"
        }
    }

    static func text(_ function: FrameAnswer.Function, _ style: Style) -> String { " " + name(function) + place(function, style) }
}

extension StackRow {
    /// Takes a name and its place from words that have nothing else: `slot [inlined] at /src/queue.h:7`. They come before the row's own name.
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
        guard var place = SourcePlaceText.read(text), place.line > 0 || style == .at else { return false }
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
