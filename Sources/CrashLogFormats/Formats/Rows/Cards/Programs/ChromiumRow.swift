internal import BinaryPrimitives
internal import CrashLogModel

/// Reads a row of a stack that `base::debug::StackTrace` of Chromium or V8 prints, in the forms of all platforms and
/// versions:
///
///     #3 0x7f48b4856ef4 ui::LatencyInfo::AddLatencyNumber() [../../ui/latency_info.cc:120,16]      Linux
///     #0 0x59903e819bb2 (/opt/google/chrome/chrome+0xa6a3bb1)                                      Linux without symbols
///     #0 0x7fdf1ae337a8 in abc::def() /src/abc.cc:111                                              what a tool made of it
///      [0x7f6b13882bf1]                                                                            in a signal handler
///         /usr/lib/libv8.so(v8::base::Abort()+0x29) [0x7fb5468870d9]                               backtrace_symbols(3)
///     0   Content Shell Framework   0x000000010a99b743 _ZN4base5debug10StackTraceC1Ev + 19         macOS, and newer builds with dladdr(3)
///     base::debug::CollectStackTrace [0x00007FF9B2DDC1BA+58] (base/debug/stack_trace_win.cc:332)   Windows
///      1: 0x7f4843814746                                                                           V8 before 2018, and `16: main` without an address
enum ChromiumRow {
    static func read(_ line: Span<UInt8>) -> StackRow? {
        var start = 0
        // Windows' rows are indented by an em space in some logs.
        while line.from(start).hasPrefix("\u{2003}") { start += 3 }
        while line.at(start).map(isBlank) == true { start += 1 }
        guard let first = line.at(start) else { return nil }
        // Sanitizers indent their rows by four blanks; a single blank is a damaged row.
        if first == UInt8(ascii: "#") { return start <= 1 ? numbered(line, start) : nil }
        if let open = line.lastRange(of: "[0x"), open.lowerBound >= start { return bracketed(line, start, open.lowerBound) }
        guard isDigit(first) else { return nil }
        if let row = rowWithColon(line, start) { return row }
        guard start == 0, let row = StackRow(line, isLenient: true), row.style == .bare, row.module != nil || row.hasUnknownName,
            row.address != nil
        else {
            return nil
        }
        return row
    }

    private static func numbered(_ line: Span<UInt8>, _ first: Int) -> StackRow? {
        var rest = line.from(first + 1)
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.consume(" ") else { return nil }
        let start = line.count - rest.count
        // ClusterFuzz prints rows without `0x`.
        let hasPrefix = rest.hasPrefix("0x")
        guard let address = hasPrefix ? rest.readAddress() : rest.readHexadecimal(), hasPrefix || rest.hasPrefix(" in ") else { return nil }
        var row = StackRow(
            number: number, style: .hash, in: first..<line.count, address: address, addressRange: start..<line.count - rest.count)
        guard rest.consume(" ") else { return rest.count == 0 ? row : nil }
        // FreeBSD's kernel has `at`; rows of other programs have dashes between columns, or a module in square
        // brackets.
        guard !rest.hasPrefix("at "), !rest.hasPrefix("- "), !rest.trimmed().hasPrefix("[") else { return nil }
        var names = line.count - rest.count..<line.count
        if line.hasSuffix(")"), let open = line.lastRange(of: "(/"), let plus = line.lastRange(of: "+0x"),
            plus.lowerBound > open.lowerBound,
            open.lowerBound >= names.lowerBound
        {
            if let value = line.clamped(to: plus.upperBound..<line.count - 1).hexadecimal {
                row.module = open.lowerBound + 1..<plus.lowerBound
                row.moduleOffset = value
                row.kind = .exact
                names = names.lowerBound..<open.lowerBound
            }
        }
        let text = line.clamped(to: names)
        // Rows of other programs have an offset after the name, or a module or a source location in parentheses.
        if row.module == nil, text.hasSuffix(")"), let open = text.lastRange(of: " (") {
            let inner = text.clamped(to: open.upperBound..<text.count - 1)
            if inner.hasPrefix("in ") || SourceLocationText.read(inner) != nil { return nil }
        }
        guard !text.contains("+0x"), !text.contains(" + ") else { return nil }
        if text.hasPrefix("in ") {
            readSymbolizerText(&row, line, (names.lowerBound + 3..<names.upperBound).trimmed(in: line))
        } else {
            row.readNameAndLocation(.brackets, in: line, names)
        }
        return row
    }

    /// Reads the text that a symbolizer wrote: `abc::def() /src/abc.cc:111`.
    private static func readSymbolizerText(_ row: inout StackRow, _ line: Span<UInt8>, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        row.symbol.name = range
        guard let blank = line.upTo(range.upperBound).lastIndex(of: UInt8(ascii: " ")), blank >= range.lowerBound,
            let location = SourceLocationText.read(line.clamped(to: blank + 1..<range.upperBound)), location.line > 0
        else { return }
        row.set(location, at: blank + 1)
        row.symbol.name = (range.lowerBound..<blank).trimmed(in: line)
    }

    /// Reads a row with the address in brackets: `path(name+0x29) [0x7fb5468870d9]`,
    /// `name [0x00007FF9B2DDC1BA+58] (file:332)`, `[0x7f6b13882bf1]`.
    private static func bracketed(_ line: Span<UInt8>, _ start: Int, _ open: Int) -> StackRow? {
        var rest = line.from(open + 1)
        guard let address = rest.readAddress() else { return nil }
        var row = StackRow(number: nil, in: start..<line.count, address: address, addressRange: open + 1..<line.count - rest.count)
        row.addressBracket = UInt8(ascii: "[")
        var offset: UInt64?
        if rest.consume("+") {
            // Windows prints the offset in decimal; newer versions of chromedriver in hexadecimal.
            var digits = rest
            if let number = digits.readDecimal(), digits.hasPrefix("]") {
                offset = number
                rest = digits
            } else if rest.readHexadecimal() == nil {
                return nil
            }
        }
        guard rest.consume("]") else { return nil }
        row.end = line.count - rest.count
        row.readNameAndLocation(.parentheses, in: line, row.end..<line.count)
        let before = (start..<open).trimmed(in: line)
        let text = line.clamped(to: before)
        guard text.count > 0, !text.hasSuffix("(No symbol)") else { return row }
        if text.hasSuffix(")"), let parenthesis = text.firstIndex(of: UInt8(ascii: "(")), let plus = text.lastRange(of: "+0x"),
            plus.lowerBound > parenthesis
        {
            if let number = text.clamped(to: plus.upperBound..<text.count - 1).hexadecimal {
                row.module = before.lowerBound..<before.lowerBound + parenthesis
                let name = before.lowerBound + parenthesis + 1..<before.lowerBound + plus.lowerBound
                if name.isEmpty { row.moduleOffset = number } else { row.symbol = StackRow.Symbol(name: name, offset: number) }
                return row
            }
        }
        if text.hasPrefix("/") { row.module = before } else { row.symbol = StackRow.Symbol(name: before, offset: offset) }
        return row
    }

    /// Reads a row with a colon after the number: ` 1: 0x7f4843814746`, `16: __libc_start_main`.
    private static func rowWithColon(_ line: Span<UInt8>, _ start: Int) -> StackRow? {
        var rest = line.from(start)
        guard let number = rest.readDecimal().flatMap({ Int(exactly: $0) }), rest.consume(": ") else { return nil }
        var row = StackRow(number: number, style: .colon, in: start..<line.count)
        let digits = line.count - rest.count
        row.address = rest.readAddress()
        row.addressRange = digits..<line.count - rest.count
        row.readNameAndLocation(.parentheses, in: line, line.count - rest.count..<line.count)
        if row.address == nil {
            guard let name = row.symbolizedName, row.file == nil, line.clamped(to: name).firstIndex(of: UInt8(ascii: " ")) == nil else {
                return nil
            }
        }
        return row
    }
}
