internal import BinaryPrimitives
internal import CrashLogModel

/// One frame of a Java stack trace (`StackTraceElement.toString`):
///
///     at com.example.Author.getBookIds(Author.java:38)
///     at java.base/java.lang.Thread.run(Thread.java:840)          since Java 9: the module and its version before the class
///     at Main.crash(Native Method)        (Unknown Source)
enum JavaTraceRow {
    /// - Parameter row: the line.
    /// - Returns: what the row says; `nil` where it is none.
    static func read(_ row: Span<UInt8>) -> PrintedSymbol? {
        var rest = row
        rest.skipBlanks()
        guard rest.count < row.count, rest.take("at ") else { return nil }
        guard let symbol = symbol(rest), let open = rest.firstIndex(of: UInt8(ascii: "(")), open > 2 else { return nil }
        // A class and a method, without blanks; JavaScript's rows have paths in the place of the
        // file's name.
        let name = rest.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: ".")) != nil, name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        return symbol
    }

    /// `com/example/CrashingApp.main(CrashingApp.java:15(Compiled Code))` → name and place.
    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard let open = text.firstIndex(of: UInt8(ascii: "(")), open > 0, let close = text.firstIndex(of: UInt8(ascii: ")"), from: open)
        else { return nil }
        var symbol = PrintedSymbol(name: text.upTo(open).trimmed().text)
        var source = text.clamped(to: open + 1..<close)
        if let inner = source.firstIndex(of: UInt8(ascii: "(")) { source = source.upTo(inner) }
        guard source.firstIndex(of: UInt8(ascii: "/")) == nil else { return nil }
        symbol.location = SourceLocationText.read(source)
        return symbol
    }
}
