internal import BinaryPrimitives

/// How `addr2line -pfi` (and `eu-addr2line`) words an answer: `main at /src/ferry.c:111`, below it the functions that an inlined call stands in: ` (inlined by) main at /src/ferry.c:111`.
enum AddressToLineText {
    static let inlinedBy = "(inlined by) "

    /// `main at /src/ferry.c:111`
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard let at = text.lastRange(of: " at "), at.lowerBound > 0, let location = location(text.from(at.upperBound)) else { return nil }
        return PrintedSymbol(name: text.upTo(at.lowerBound).text, location: location)
    }

    /// `/src/ferry.c:111`
    static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var digits = text.from(colon + 1)
        guard let number = digits.takeDecimal(), digits.count == 0, let line = Int(exactly: number) else { return nil }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    static func text(_ function: FrameAnswer.Function) -> String {
        var text = AppleSymbolText.oneLine(function.name)
        if let location = function.location { text += " at " + AppleSymbolText.oneLine(location.file) + ":\(location.line)" }
        return text
    }
}
