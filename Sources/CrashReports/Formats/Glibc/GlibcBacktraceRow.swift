internal import BinaryPrimitives

/// One row of `backtrace_symbols(3)`, and of what programs that print it put around it:
///
///     ./ferry(+0x1390)[0x555555555390]
///     libharbour.so.1(harbour_berth+0x11) [0x7ffff7fbc171]
///     ./ferry() [0x4013b1]
///     ./ferry[0x4013b1]
///     [0x401821]
///
/// `backtrace_symbols` has a blank before the bracket, `backtrace_symbols_fd` and the reports of glibc itself have none (`debug/backtracesyms.c`, `backtracesymsfd.c`). Open MPI and MXNet number
/// the rows (`[ 3] `, `[bt] (3) `). Behind the bracket stands what `addr2line -pfi` answers, where this package has put it: ` main at /src/ferry.c:111`.
struct GlibcBacktraceRow {
    /// The file as `dladdr` has it: a path, or as the program was called. `nil` for an address that is in no file of the dynamic linker's.
    var module: String?
    /// The dynamic symbol before the address; `nil` where there is none.
    var symbol: String?
    /// From the symbol, or, without one, from the file's load bias. `nil` where the row tells none.
    var offset: UInt64?
    /// The address lies before the symbol (`-0x8`), which tells no place.
    var isBeforeSymbol = false
    /// The row has no parentheses: much else looks like it.
    var isPlain: Bool
    var address: UInt64
    /// Just behind the closing bracket.
    var end: Int
    var printed: PrintedSymbol?

    init?(_ line: Span<UInt8>) {
        guard let bracket = line.firstRange(of: "[0x") else { return nil }
        var rest = line.from(bracket.lowerBound + 1)
        guard let address = rest.takeAddress(), rest.take("]") else { return nil }
        self.address = address
        end = line.count - rest.count
        var head = line.upTo(bracket.lowerBound)
        GlibcBacktraceRow.skipNumber(&head)
        if head.hasSuffix(" "), head.count > 1 { head = head.upTo(head.count - 1) }
        isPlain = true
        guard takeModule(head) else { return nil }
        printed = GlibcBacktraceRow.printed(rest, isCertain: !isPlain)
        guard printed != nil || rest.trimmed().count == 0 else { return nil }
    }

    private mutating func takeModule(_ head: Span<UInt8>) -> Bool {
        guard head.count > 0 else { return true }
        var name = head
        if head.hasSuffix(")") {
            guard let open = GlibcBacktraceRow.openingParenthesis(of: head) else { return false }
            name = head.upTo(open)
            guard takeSymbol(head.from(open + 1).upTo(head.count - open - 2)) else { return false }
            isPlain = false
        }
        // A file's name may have blanks; prose has them, too.
        guard let first = name.at(0), let last = name.at(name.count - 1), !isBlank(first), !isBlank(last),
            name.firstIndex(of: UInt8(ascii: " ")) == nil || first == UInt8(ascii: "/"), name.firstIndex(of: UInt8(ascii: "[")) == nil
        else { return false }
        module = name.text
        return true
    }

    /// `harbour_berth+0x11`, `+0x1390`, nothing.
    private mutating func takeSymbol(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0 else { return true }
        guard let sign = text.lastRange(of: "+0x") ?? text.lastRange(of: "-0x") else { return false }
        var digits = text.from(sign.lowerBound + 1)
        guard let value = digits.takeAddress(), digits.count == 0 else { return false }
        if sign.lowerBound > 0 { symbol = text.upTo(sign.lowerBound).text }
        isBeforeSymbol = text[sign.lowerBound] == UInt8(ascii: "-")
        offset = isBeforeSymbol ? nil : value
        return true
    }

    /// The parenthesis that the last byte closes: names of C++ that a program has demangled have their own inside.
    private static func openingParenthesis(of text: Span<UInt8>) -> Int? {
        var depth = 0
        var index = text.count
        while index > 0 {
            index -= 1
            if text[index] == UInt8(ascii: ")") { depth += 1 }
            if text[index] == UInt8(ascii: "(") {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Moves past blanks and a number: `[ 3] `, `[bt] (3) ` (whose brackets may have been taken for a prefix), `#3 `, `3: `, `3# `.
    private static func skipNumber(_ head: inout Span<UInt8>) {
        head.skipBlanks()
        var rest = head
        if rest.take("[bt] (") || rest.take("(") {
            guard rest.takeDecimal() != nil, rest.take(") ") else { return }
        } else if rest.take("[") {
            rest.skipBlanks()
            guard rest.takeDecimal() != nil, rest.take("] ") else { return }
        } else if rest.take("#") {
            guard rest.takeDecimal() != nil, rest.take(" ") else { return }
        } else {
            guard rest.takeDecimal() != nil, rest.take(": ") || rest.take("# ") else { return }
        }
        rest.skipBlanks()
        head = rest
    }

    /// ` main at /src/ferry.c:111`, ` _start`. Behind a row that could be anything a name of several words is prose.
    private static func printed(_ tail: Span<UInt8>, isCertain: Bool) -> PrintedSymbol? {
        guard tail.count > 1, tail[0] == UInt8(ascii: " ") else { return nil }
        let text = tail.trimmed()
        if let symbol = AddressToLineText.symbol(text) { return symbol }
        guard let first = text.at(0), first != UInt8(ascii: "["), first != UInt8(ascii: "(") else { return nil }
        // Names of C++ have blanks in their parentheses.
        let word = text.upTo(text.firstIndex(of: UInt8(ascii: " ")) ?? text.count)
        guard isCertain || word.count == text.count || (word.contains("(") && text.hasSuffix(")")) else { return nil }
        return PrintedSymbol(name: text.text)
    }
}

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
