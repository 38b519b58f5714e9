internal import BinaryPrimitives

/// One frame of a stack that Chromium's `base::debug::StackTrace` or V8's prints, in the ways of its platforms and years:
///
///     #3 0x7f48b4856ef4 ui::LatencyInfo::AddLatencyNumber() [../../ui/latency_info.cc:120,16]      Linux
///     #0 0x59903e819bb2 (/opt/google/chrome/chrome+0xa6a3bb1)                                      Linux without symbols
///     #0 0x7fdf1ae337a8 in abc::def() /src/abc.cc:111                                              what a tool made of it
///      [0x7f6b13882bf1]                                                                            in a signal handler
///         /usr/lib/libv8.so(v8::base::Abort()+0x29) [0x7fb5468870d9]                               backtrace_symbols(3)
///     0   Content Shell Framework   0x000000010a99b743 _ZN4base5debug10StackTraceC1Ev + 19         macOS, and newer builds with dladdr(3)
///     base::debug::CollectStackTrace [0x00007FF9B2DDC1BA+58] (base/debug/stack_trace_win.cc:332)   Windows
///      1: 0x7f4843814746                                                                           V8 before 2018, and `16: main` without an address
struct ChromiumRow {
    enum Style {
        case numberSign
        case brackets
        case apple
        case colon
    }
    var style: Style
    var index: Int?
    var address: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    var imageName: String?
    /// A file and an address in it as it was linked: `google::Symbolize` takes the ELF file's load bias off.
    var module: (path: String, address: UInt64)?
    /// What an answer replaces.
    var answerRange: Range<Int>

    init?(_ row: Span<UInt8>) {
        var rest = row
        // Windows' rows are indented by an em space in some logs.
        while rest.take("\u{2003}") {}
        rest.skipBlanks()
        guard let first = rest.at(0) else { return nil }
        answerRange = row.count..<row.count
        if first == UInt8(ascii: "#") {
            style = .numberSign
            guard takeNumberSign(rest, row) else { return nil }
        } else if let open = rest.lastRange(of: "[0x") {
            style = .brackets
            guard takeBrackets(rest, open.lowerBound, row) else { return nil }
        } else if isDigit(first) {
            style = .colon
            if takeColon(rest, row) { return }
            style = .apple
            guard isDigit(row.at(0) ?? 0), let apple = AppleRow(row) else { return nil }
            index = apple.index
            address = apple.address
            printed = apple.symbol.printed
            isInlined = apple.symbol.isInlined
            imageName = apple.imageName
        } else {
            return nil
        }
    }

    private mutating func takeNumberSign(_ text: Span<UInt8>, _ row: Span<UInt8>) -> Bool {
        var rest = text
        // Sanitizers indent theirs.
        guard row.at(0) == UInt8(ascii: "#"), rest.take("#"), let number = rest.takeDecimal(), rest.take(" ") else { return false }
        index = Int(exactly: number)
        if let value = rest.takeAddress() {
            address = value
        } else {
            // ClusterFuzz has rows without `0x`.
            guard let value = rest.takeHexadecimal(), rest.hasPrefix(" in ") else { return false }
            address = value
        }
        let addressEnd = row.count - rest.count
        guard rest.take(" ") else {
            answerRange = addressEnd..<row.count
            return rest.count == 0
        }
        // FreeBSD's kernel.
        guard !rest.hasPrefix("at ") else { return false }
        // Dashes between columns, and a module in square brackets: rows of others.
        guard !rest.hasPrefix("- "), !rest.trimmed().hasPrefix("[") else { return false }
        var end = rest.count
        if rest.hasSuffix(")"), let open = rest.lastRange(of: "(/"), let plus = rest.lastRange(of: "+0x"), plus.lowerBound > open.lowerBound
        {
            var digits = rest.clamped(to: plus.upperBound..<rest.count - 1)
            if let value = digits.takeHexadecimal(), digits.count == 0 {
                module = (rest.clamped(to: open.lowerBound + 1..<plus.lowerBound).text, value)
                end = open.lowerBound
            }
        }
        // An offset behind the name, or a module or a place in parentheses: rows of others.
        if end == rest.count, rest.hasSuffix(")"), let open = rest.lastRange(of: " ("),
            rest.from(open.upperBound).hasPrefix("in ")
                || AddressToLineText.location(rest.clamped(to: open.upperBound..<rest.count - 1)) != nil
        {
            return false
        }
        guard !rest.upTo(end).contains("+0x"), !rest.upTo(end).contains(" + ") else { return false }
        // The blank in front of the file stays there.
        answerRange = addressEnd..<(module == nil ? row.count : addressEnd + end)
        takeSymbol(rest.upTo(end).trimmed())
        return true
    }

    /// `ui::LatencyInfo::Add() [../../ui/latency_info.cc:120,16]`, `in abc::def() /src/abc.cc:111`
    private mutating func takeSymbol(_ text: Span<UInt8>) {
        var rest = text
        if rest.take("in ") {
            printed = SanitizerRow.symbol(rest.trimmed(), hasModule: false)
            return
        }
        var symbol = PrintedSymbol()
        if rest.hasSuffix("]"), let open = rest.lastRange(of: " ["),
            let place = ChromiumRow.place(rest.clamped(to: open.upperBound..<rest.count - 1))
        {
            symbol.location = place
            rest = rest.upTo(open.lowerBound).trimmed()
        }
        if rest.hasSuffix(" [inlined]") {
            isInlined = true
            rest = rest.upTo(rest.count - " [inlined]".utf8.count).trimmed()
        }
        if rest.count > 0, !rest.equals("<unknown>") { symbol.name = rest.text }
        if symbol != PrintedSymbol() { printed = symbol }
    }

    /// `../../base/debug/stack_trace_unittest.cc:120,16`: file, line, column (`GetDwarfSourceLineNumber`).
    private static func place(_ text: Span<UInt8>) -> SourceLocation? {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > 0 else { return nil }
        var digits = text.from(colon + 1)
        guard let line = digits.takeDecimal().flatMap({ Int(exactly: $0) }) else { return nil }
        var column = 0
        if digits.take(",") { column = digits.takeDecimal().flatMap { Int(exactly: $0) } ?? 0 }
        return digits.count == 0 ? SourceLocation(file: text.upTo(colon).text, line: line, column: column) : nil
    }

    /// `path(name+0x29) [0x7fb5468870d9]`, `name [0x00007FF9B2DDC1BA+58] (file:332)`, `[0x7f6b13882bf1]`
    private mutating func takeBrackets(_ text: Span<UInt8>, _ open: Int, _ row: Span<UInt8>) -> Bool {
        var rest = text.from(open + 1)
        guard let value = rest.takeAddress() else { return false }
        address = value
        var offset: UInt64?
        if rest.take("+") {
            // Windows prints it in decimal; chromedriver in hexadecimal of late.
            var digits = rest
            if let number = digits.takeDecimal(), digits.at(0) == UInt8(ascii: "]") {
                offset = number
                rest = digits
            } else if rest.takeHexadecimal() == nil {
                return false
            }
        }
        guard rest.take("]") else { return false }
        answerRange = row.count - rest.count..<row.count
        let behind = ChromiumSymbolText(rest)
        isInlined = behind.isInlined
        printed = behind.printed
        let before = text.upTo(open).trimmed()
        guard before.count > 0, !before.equals("(No symbol)"), !before.hasSuffix("!(No symbol)") else { return true }
        guard behind.printed?.name == nil else {
            imageName = before.text
            return true
        }
        if before.hasSuffix(")"), let parenthesis = before.firstIndex(of: UInt8(ascii: "(")), let plus = before.lastRange(of: "+0x") {
            var digits = before.clamped(to: plus.upperBound..<before.count - 1)
            if let number = digits.takeHexadecimal(), digits.count == 0, plus.lowerBound > parenthesis {
                imageName = before.upTo(parenthesis).text
                let name = before.clamped(to: parenthesis + 1..<plus.lowerBound)
                if name.count > 0 { printed = PrintedSymbol(name: name.text, offset: number, location: behind.printed?.location) }
                return true
            }
        }
        if before.at(0) == UInt8(ascii: "/") {
            imageName = before.text
        } else {
            printed = PrintedSymbol(name: before.text, offset: offset, location: behind.printed?.location)
        }
        return true
    }

    /// ` 1: 0x7f4843814746`, `16: __libc_start_main`
    private mutating func takeColon(_ text: Span<UInt8>, _ row: Span<UInt8>) -> Bool {
        var rest = text
        guard let number = rest.takeDecimal(), rest.take(": ") else { return false }
        index = Int(exactly: number)
        address = rest.takeAddress()
        answerRange = row.count - rest.count..<row.count
        let symbol = ChromiumSymbolText(rest)
        printed = symbol.printed
        isInlined = symbol.isInlined
        return address != nil || (printed?.name?.contains(" ") == false && printed?.location == nil)
    }

    /// Behind the address, or in front of the file, in the row's own way.
    static func text(_ function: FrameAnswer.Function, style: Style) -> String {
        guard style == .numberSign else { return ChromiumSymbolText.text(function) }
        let place = function.location.map { location in
            " [" + AppleSymbolText.oneLine(location.file) + ":\(location.line)" + (location.column > 0 ? ",\(location.column)" : "") + "]"
        }
        return " " + ChromiumSymbolText.name(function) + (place ?? "")
    }
}
