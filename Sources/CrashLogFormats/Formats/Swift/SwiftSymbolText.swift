internal import BinaryPrimitives
internal import CrashLogModel

/// The text after a frame's address in Swift's backtraces (`BacktraceFormatter` of the Runtime
/// module):
///
///     Foo.bar(_:) + 178 in crashD at /src/crash.swift:2:69
///     start + 7184 in dyld
///     closure #1 in main in crashD at //<compiler-generated>      an offset, line and column of zero are left out
///     <unknown> in libfoo.so
///
/// `in` and `at` occur in names and paths as well. A name may contain ` in `, an image's name
/// hardly ever; so the image follows the last ` in ` before the first ` at `.
struct SwiftSymbolText {
    var printed: PrintedSymbol?
    var imageName: String?

    /// - Parameter hasImage: ` in IMAGE` belongs to the grammar; the runtime's own trace has the
    ///   image in a column of its own.
    init(_ text: Span<UInt8>, hasImage: Bool = true) {
        var rest = text.trimmed()
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if let at = SwiftSymbolText.locationStart(rest) {
            symbol.location = SwiftSymbolText.location(rest.from(at + 4))
            rest = rest.upTo(at)
        }
        if hasImage, let range = rest.lastRange(of: " in ") {
            imageName = rest.from(range.upperBound).trimmed().text
            rest = rest.upTo(range.lowerBound)
        }
        symbol.offset = rest.readDecimal(atEndBehind: " + ")
        let name = rest.trimmed()
        if name.count > 0, !name.equals("<unknown>"), !name.equals("<unavailable>") { symbol.name = name.text }
        if symbol != PrintedSymbol() { printed = symbol }
    }

    /// Offset of ` at PATH`, which comes after the image if there is one.
    private static func locationStart(_ text: Span<UInt8>) -> Int? {
        var from = 0
        while let found = text.firstRange(of: " at ", from: from) {
            let path = text.from(found.upperBound)
            // An image's name comes first, or (in the runtime's own trace) an offset.
            let before = text.upTo(found.lowerBound)
            if path.count > 0, before.contains(" in ") || before.contains(" + ") || path.hasPrefix("/") || location(path).line > 0 {
                return found.lowerBound
            }
            from = found.upperBound
        }
        return nil
    }

    /// `/src/crash.swift:2:69`, `/src/so.swift:1`, `//<compiler-generated>`.
    static func location(_ text: Span<UInt8>) -> SourceLocation {
        let text = text.trimmed()
        return SourceLocationText.read(text) ?? SourceLocation(file: text.text, line: 0)
    }

    /// `/src/crash.swift:2:69` as the formatter writes it.
    static func text(_ location: SourceLocation) -> String {
        location.line > 0 ? SourceLocationText.text(location, withColumn: true) : PlainText.line(location.file)
    }
}
