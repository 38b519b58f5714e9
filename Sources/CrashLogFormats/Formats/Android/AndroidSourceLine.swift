internal import BinaryPrimitives
internal import CrashLogModel

/// Source location of a frame as AOSP's own symbolizer of tombstones prints it below the frame's
/// row (`symbolize_backtrace_frame` in system/core's `debuggerd/tombstone_symbolize.cpp`),
/// innermost inlined call first, the function that holds the code last:
///
///     #01 pc 0000000000001234  /data/app/x/libshop.so (Shop::sell(int)+52) (BuildId: …)
///           /src/shelf.h:12:5 (Shelf::take(int))
///           /src/shop.cpp:40:9 (Shop::sell(int))
struct AndroidSourceLine {
    var name: String
    var location: SourceLocation?

    init?(_ line: Span<UInt8>) {
        let text = line.trimmed()
        guard text.hasSuffix(")") else { return nil }
        // The path ends where a line and a column precede a parenthesis.
        var from = 0
        while let open = text.firstRange(of: " (", from: from) {
            from = open.upperBound
            guard let sourceLocation = AndroidSourceLine.sourceLocation(text.upTo(open.lowerBound)) else { continue }
            let inside = text.clamped(to: open.upperBound..<text.count - 1)
            guard inside.count > 0 else { return nil }
            name = inside.text
            location = sourceLocation.file == "??" ? nil : sourceLocation
            return
        }
        return nil
    }

    /// `/src/shop.cpp:40:9`
    private static func sourceLocation(_ text: Span<UInt8>) -> SourceLocation? {
        guard let second = text.lastIndex(of: UInt8(ascii: ":")), let first = text.lastIndex(of: UInt8(ascii: ":"), before: second),
            first > 0
        else { return nil }
        guard let line = text.clamped(to: first + 1..<second).decimal.flatMap({ Int(exactly: $0) }),
            let column = text.from(second + 1).decimal.flatMap({ Int(exactly: $0) })
        else { return nil }
        return SourceLocation(file: text.upTo(first).text, line: line, column: column)
    }

    /// The line's text for one function of a result.
    static func text(_ function: FrameResult.Function) -> String {
        let locationText = function.location.map { PlainText.line($0.file) + ":\($0.line):\($0.column)" } ?? "??:0:0"
        return locationText + " (" + PlainText.line(function.name) + ")"
    }
}
