internal import BinaryPrimitives
internal import CrashLogModel

/// How `addr2line -pfi` (and `eu-addr2line`) words a result: `main at /src/ferry.c:111`, below it
/// the functions that contain an inlined call: ` (inlined by) main at /src/ferry.c:111`.
enum AddressToLineText {
    static let inlinedBy = "(inlined by) "

    /// `main at /src/ferry.c:111`
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard let at = text.lastRange(of: " at "), at.lowerBound > 0, let location = location(text.from(at.upperBound)) else { return nil }
        return PrintedSymbol(name: text.upTo(at.lowerBound).text, location: location)
    }

    /// `/src/ferry.c:111`
    static func location(_ text: Span<UInt8>) -> SourceLocation? { SourceLocationText.read(text) }

    static func text(_ function: FrameAnswer.Function) -> String {
        var text = PlainText.line(function.name)
        if let location = function.location { text += " at " + SourceLocationText.text(location) }
        return text
    }
}
