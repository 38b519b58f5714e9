internal import BinaryPrimitives

/// What stands behind an address where the program prints no more than that, as this package writes it: name, `[inlined]`, file, line and column in parentheses, as V8 writes those of JavaScript.
///
///     v8::base::OS::Abort() (../../src/base/platform/platform-posix.cc:653:5)
///     base::span::size() [inlined] (../../base/containers/span.h:80:3)
struct ChromiumSymbolText {
    var printed: PrintedSymbol?
    var isInlined = false

    init(_ text: Span<UInt8>) {
        var rest = text.trimmed()
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: "(") {
            let place = SwiftSymbolText.location(rest.clamped(to: open.upperBound..<rest.count - 1))
            if place.line > 0, open.lowerBound == 0 || rest.at(open.lowerBound - 1) == UInt8(ascii: " ") {
                symbol.location = place
                rest = rest.upTo(open.lowerBound).trimmed()
            }
        }
        if rest.hasSuffix(" [inlined]") {
            isInlined = true
            rest = rest.upTo(rest.count - " [inlined]".utf8.count).trimmed()
        }
        if rest.count > 0, !rest.equals("<unknown>") { symbol.name = rest.text }
        if symbol != PrintedSymbol() { printed = symbol }
    }

    static func name(_ function: FrameAnswer.Function) -> String {
        AppleSymbolText.oneLine(function.name) + (function.isInlined ? " [inlined]" : "")
    }

    static func place(_ function: FrameAnswer.Function) -> String {
        function.location.map { " (" + SwiftSymbolText.text($0) + ")" } ?? ""
    }

    static func text(_ function: FrameAnswer.Function) -> String { " " + name(function) + place(function) }
}
