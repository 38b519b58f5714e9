internal import BinaryPrimitives
internal import CrashLogModel

/// What was written as a result after an element, or above it for inlined calls:
/// `#0.1 inner /src/a.c:3:5`.
struct MarkupAnswer {
    var index = 0
    var symbol: PrintedSymbol

    /// After a frame ` outer /src/a.c:12:3` up to the line's end, after an element in a sentence
    /// ` inner[/src/a.c:12:3]`. Only what has a line can be distinguished from other words.
    init?(behind text: Span<UInt8>, isInText: Bool) {
        guard text.at(0) == UInt8(ascii: " "), !text.contains("{{{") || isInText else { return nil }
        if isInText {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")), let open = text.lastIndex(of: UInt8(ascii: "["), before: close),
                open > 1, let location = SourceLocationText.read(text.clamped(to: open + 1..<close))
            else { return nil }
            symbol = PrintedSymbol(name: text.clamped(to: 1..<open).text, location: location)
        } else {
            guard let found = MarkupAnswer.symbol(text.from(1)) else { return nil }
            symbol = found
        }
    }

    init?(inlined line: Span<UInt8>) {
        var rest = line.trimmed()
        guard rest.take("#"), let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take("."), rest.takeDecimal() != nil,
            rest.take(" "), let found = MarkupAnswer.symbol(rest)
        else { return nil }
        self.index = index
        symbol = found
    }

    /// The name may hold blanks; the place is the last word.
    private static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        let text = text.trimmed()
        guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0 else { return nil }
        return SourceLocationText.read(text.from(blank + 1)).map { PrintedSymbol(name: text.upTo(blank).text, location: $0) }
    }
}
