internal import BinaryPrimitives
internal import CrashLogModel

/// One row of a debugger's stack: addresses, then `Module!Function+0x1e`, and with `.lines` the
/// source location.
///
///     002df7e4 00fd1423 00fd1078 00fd1078 7f956000 ConsoleApplication2!crash+0x1e                      kb: stack, return address, three arguments
///     00000000`04f13f70 000007fe`ef2eba34 : 00000000`05580090 … : MSHTML!Ordinal101+0x24d4              kv of a 64-bit process: four arguments between colons
///     01 0012ff7c 00401036 app!main+0x12 [c:\src\app.cpp @ 12]                                          kn: the row's number in front
///     02 (Inline Function) --------`-------- app!std::move+0x5                                          an inlined call
///     0915b6c0 6d9ebb8b 0ace9f60 10000005 0a6ab040 0xba90fd9                                            in no module
struct WindowsStackRow {
    /// Columns of the stack, according to its heading.
    struct Layout {
        /// The column that holds the return address: after the stack or frame pointer, unless that
        /// is left out; `nil` for `kc`, which shows none.
        var returnColumn: Int?
        /// `#`: the rows are numbered.
        var isNumbered = false

        init(returnColumn: Int?) { self.returnColumn = returnColumn }

        /// `ChildEBP RetAddr Args to Child`, ` # Child-SP RetAddr Call Site`,
        /// `RetAddr : Args to Child … : Call Site`, ` # Call Site`.
        init?(heading: Span<UInt8>) {
            var rest = heading.trimmed()
            isNumbered = rest.consume("#")
            rest.skipBlanks()
            if rest.consume("Memory") { rest.skipBlanks() }
            let first = rest.readToken()
            rest.skipBlanks()
            if first.equals("ChildEBP") || first.equals("Child-SP") {
                // SOS has a column of its own (`StackCards.dotNetSOS`).
                guard rest.hasPrefix("RetAddr"), !rest.hasSuffix("Caller, Callee") else { return nil }
                returnColumn = 1
            } else if first.equals("RetAddr") {
                guard rest.contains("Args to Child") || rest.hasPrefix("Call Site") else { return nil }
                returnColumn = 0
            } else {
                guard first.equals("Call"), rest.trimmed().equals("Site") else { return nil }
            }
        }
    }

    var returnAddress: UInt64?
    var isInline = false
    var module: String?
    var printed: PrintedSymbol?
    /// Bytes from the module's first: `ferry+0x1234`, and `ferry!winch_follow+0x14 (ferry+0x1234)`, which this package writes where the
    /// row has nothing else that gives the position.
    var moduleOffset: UInt64?

    init?(_ row: Span<UInt8>, _ layout: Layout) {
        var rest = row.trimmed()
        if layout.isNumbered {
            // Two or more hexadecimal digits.
            guard rest.readHexadecimal() != nil, let blank = rest.at(0), isBlank(blank) else { return nil }
            rest.skipBlanks()
        }
        var addresses: [UInt64] = []
        if rest.consume("(Inline Function)") || rest.consume("(Inline)") {
            isInline = true
            while let byte = rest.at(0), isBlank(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "`") { rest = rest.from(1) }
        } else {
            while addresses.count < 16, let address = WindowsStackRow.readAddress(&rest) {
                addresses.append(address)
                rest.skipBlanks()
                while rest.consume(":") { rest.skipBlanks() }
            }
        }
        if let column = layout.returnColumn, !isInline {
            guard addresses.count > column, addresses.count > 1 || column == 0 else { return nil }
            returnAddress = addresses[column]
        }
        guard rest.count > 0 else { return nil }
        guard readSymbol(rest) else { return nil }
    }

    /// Eight digits, or sixteen with or without the debugger's accent between the halves.
    private static func readAddress(_ rest: inout Span<UInt8>) -> UInt64? {
        var digits = 0
        while let byte = rest.at(digits), hexadecimalValue(byte) != nil || (byte == UInt8(ascii: "`") && digits == 8) { digits += 1 }
        guard digits == 8 || digits == 16 || digits == 17, rest.at(digits).map(isBlank) ?? true else { return nil }
        var value: UInt64 = 0
        for index in 0..<digits { if let digit = hexadecimalValue(rest[index]) { value = value << 4 | UInt64(digit) } }
        rest = rest.from(digits)
        return value
    }

    /// `Module!Function+0x1e [c:\src\app.cpp @ 12]`, `Module+0x5289`, `0xba90fd9`; after it, what
    /// `kv` prints about the frame: `(FPO: [0,0,0])`.
    private mutating func readSymbol(_ text: Span<UInt8>) -> Bool {
        var symbol = PrintedSymbol()
        var rest = text.upTo(WindowsStackRow.locationStart(text, &symbol))
        rest = rest.upTo(WindowsStackRow.notesStart(rest))
        rest = rest.upTo(WindowsStackRow.locationStart(rest, &symbol)).trimmed()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " ("), let plus = rest.lastRange(of: "+0x"),
            plus.lowerBound > open.upperBound,
            let offset = rest.clamped(to: plus.upperBound..<rest.count - 1).hexadecimal
        {
            moduleOffset = offset
            rest = rest.upTo(open.lowerBound)
        }
        if rest.hasPrefix("0x") {
            return (2..<rest.count).allSatisfy { hexadecimalValue(rest[$0]) != nil || rest[$0] == UInt8(ascii: "`") }
        }
        if let plus = rest.lastRange(of: "+0x") {
            guard let offset = rest.from(plus.upperBound).hexadecimal else { return false }
            symbol.offset = offset
            rest = rest.upTo(plus.lowerBound)
        }
        // A module's name has no blanks; a function's may, in its template arguments.
        if let mark = rest.firstIndex(of: UInt8(ascii: "!")) {
            guard rest.upTo(mark).firstIndex(of: UInt8(ascii: " ")) == nil, mark > 0 else { return false }
            module = rest.upTo(mark).text
            symbol.name = rest.from(mark + 1).text
        } else {
            guard rest.count > 0, rest.firstIndex(of: UInt8(ascii: " ")) == nil, symbol.offset != nil else { return false }
            (module, moduleOffset) = (rest.text, symbol.offset)
            symbol.offset = nil
        }
        printed = symbol == PrintedSymbol() ? nil : symbol
        return true
    }

    /// Finds what `kv` prints about a frame: ` (FPO: [0,0,0]) (CONV: cdecl)`.
    /// - Returns: offset at which it begins; the text's length if there is none.
    private static func notesStart(_ text: Span<UInt8>) -> Int {
        [" (FPO: ", " (CONV: ", " (TrapFrame "].compactMap { text.lastRange(of: $0)?.lowerBound }.min() ?? text.count
    }

    /// - Returns: range of what `kv` prints about a frame, which stands before the source location; empty if there is none.
    static func notes(_ row: Span<UInt8>) -> Range<Int> {
        var symbol = PrintedSymbol()
        let end = locationStart(row, &symbol)
        return notesStart(row.upTo(end))..<end
    }

    /// Reads ` [c:\src\app.cpp @ 12]` at the end.
    /// - Returns: offset at which it begins; the text's length if there is none.
    private static func locationStart(_ text: Span<UInt8>, _ symbol: inout PrintedSymbol) -> Int {
        guard text.hasSuffix("]"), let open = text.lastRange(of: " ["), let at = text.lastRange(of: " @ "), at.lowerBound > open.upperBound
        else { return text.count }
        guard let line = text.from(at.upperBound).leadingDecimal, let line = Int(exactly: line) else { return text.count }
        symbol.location = SourceLocation(file: text.clamped(to: open.upperBound..<at.lowerBound).text, line: line)
        return open.lowerBound
    }

    func frame(index: Int, address: UInt64?, at range: Range<Int>) -> Frame {
        var frame = Frame(
            index: index, kind: .programCounter, address: address, range: range, imageName: module, printed: printed, isInlined: isInline)
        frame.imageLocation = moduleOffset.map { .offset(ImageOffset($0)) }
        return frame
    }
}

/// A row that names module and address by itself, without a heading of columns:
///
///     0x00007FF83F446835 (ferry-2.0) moor_has_breakpoint                  Unity's editor and players, by StackWalker (`OnCallstackEntry`)
///     quay.dll!00007ff90e8ba68c()\tUnknown\tNo symbols loaded.            Visual Studio's call stack, copied
///     > berth.exe!moor(int n) Line 12\tC++\tSymbols loaded.
struct WindowsPastedRow {
    var address: UInt64?
    var module: String
    var name: String?
    var location: SourceLocation?

    init?(_ line: Span<UInt8>) {
        let text = line.trimmed()
        if text.hasPrefix("0x") {
            var rest = text.from(2)
            let digits = rest.upTo(16)
            guard digits.count == 16, let value = digits.hexadecimal,
                (0..<16).allSatisfy({ isDigit(digits[$0]) || digits[$0] &- UInt8(ascii: "A") < 6 })
            else { return nil }
            rest = rest.from(16)
            guard rest.consume(" ("), let close = rest.firstIndex(of: UInt8(ascii: ")")), close > 0 else { return nil }
            let module = rest.upTo(close)
            guard !module.contains(".so"), !module.contains(".dylib"), !module.contains("+"), rest.from(close + 1).hasPrefix(" ") else {
                return nil
            }
            let name = rest.from(close + 1).trimmed()
            guard name.count > 0 else { return nil }
            (address, self.module) = (value, module.text)
            if !name.hasPrefix("(function-name not available)") { self.name = name.text }
            return
        }
        var rest = text
        if rest.consume(">") { rest.skipBlanks() }
        guard let mark = rest.upTo(260).firstIndex(of: UInt8(ascii: "!")), mark > 4 else { return nil }
        let module = rest.upTo(mark)
        guard module.hasSuffix(".dll") || module.hasSuffix(".exe") || module.hasSuffix(".DLL"),
            module.firstIndex(of: UInt8(ascii: " ")) == nil
        else { return nil }
        rest = rest.from(mark + 1)
        // The columns are the function, the language and what is known of symbols.
        let tab = rest.firstIndex(of: UInt8(ascii: "\t"))
        var function = rest.upTo(tab ?? rest.count).trimmed()
        self.module = module.text
        if function.hasSuffix("()"), let value = function.upTo(function.count - 2).hexadecimal, function.count == 18 || function.count == 10
        {
            address = value
            return
        }
        guard tab != nil, function.count > 0 else { return nil }
        if let line = function.lastRange(of: " Line "), function.from(line.upperBound).leadingDecimal != nil {
            function = function.upTo(line.lowerBound)
        }
        name = function.text
    }

    /// Whether a line may stand between such rows.
    static func isBetweenRows(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return text.count == 0 || text.hasPrefix("ERROR: SymGetSymFromAddr64, ") || text.hasPrefix("[External Code]")
            || text.hasPrefix("[Frames below may be incorrect")
    }
}
