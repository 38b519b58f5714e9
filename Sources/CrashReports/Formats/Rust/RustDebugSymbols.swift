internal import BinaryPrimitives

/// The symbols in a line of a `Backtrace` that was printed with `{:?}` or `{:#?}` (`Debug for BacktraceSymbol` of `std/src/backtrace.rs`):
/// `{ fn: "main::f", file: "src/main.rs", line: 3 }`, `{ fn: <unknown> }`.
struct RustDebugSymbols {
    private(set) var symbols: [PrintedSymbol] = []
    /// The list's end stands behind them.
    private(set) var isLast = false

    init(_ text: Span<UInt8>) {
        var rest = text
        while let start = rest.firstRange(of: "{ fn: "), symbols.count < Limits.standard.framesPerThread {
            rest = rest.from(start.upperBound)
            var symbol = PrintedSymbol()
            if rest.take("\""), let close = rest.firstIndex(of: UInt8(ascii: "\"")) {
                symbol.name = rest.upTo(close).text
                rest = rest.from(close + 1)
            } else if !rest.take("<unknown>") {
                return
            }
            if rest.take(", file: ") { symbol.location = RustDebugSymbols.location(&rest) }
            guard rest.take(" }") else { return }
            symbols.append(symbol)
        }
        isLast = rest.trimmed().hasPrefix("]")
    }

    /// `"src/main.rs", line: 3`: the path is quoted, by some versions twice.
    private static func location(_ rest: inout Span<UInt8>) -> SourceLocation? {
        while rest.take("\"") || rest.take("\\\"") {}
        guard let close = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        var path = rest.upTo(close)
        if path.hasSuffix("\\") { path = path.upTo(path.count - 1) }
        let file = path.text
        rest = rest.from(close)
        while rest.take("\"") || rest.take("\\\"") {}
        guard rest.take(", line: "), let line = rest.takeDecimal(), let number = Int(exactly: line) else { return nil }
        return SourceLocation(file: file, line: number)
    }
}
