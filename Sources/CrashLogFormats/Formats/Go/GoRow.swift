internal import BinaryPrimitives
internal import CrashLogModel

/// A frame of a Go stack is two lines (`traceback2`, `printOneCgoTraceback` of
/// `runtime/traceback.go`; the race detector indents both):
///
///     main.(*tank).drain(0x40463c?, 0xc00004af70?)
///     	tank/main.go:13 +0x5 fp=0xc00004af28 sp=0xc00004af20 pc=0x462425
///     main.pour(...)                                                           inlined: no offset
///     	tank/main.go:15
///     created by main.start in goroutine 1
///     	tank/main.go:30 +0x25
///     leak                                                                     C, where the program has a symbolizer for it
///     	/src/tank.c:12 pc=0x462746
///
/// C code of which that knows nothing is called `non-Go function`, and is one line without a
/// symbolizer, `non-Go function at pc=0x462746`.
struct GoFunctionLine {
    /// As the table of functions has it: without arguments. `nil` for `non-Go function`, which the
    /// program's symbolizer did not know.
    var name: String?
    var isInlined: Bool
    var isCreator: Bool
    /// It has arguments, or a word before it: only a Go frame looks like that.
    var isCertain: Bool

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        isCreator = rest.take("created by ")
        if isCreator {
            if let goroutine = rest.lastRange(of: " in goroutine ") { rest = rest.upTo(goroutine.lowerBound) }
            guard rest.count > 0 else { return nil }
            (name, isInlined, isCertain) = (rest.text, false, true)
            return
        }
        if rest.equals("non-Go function") {
            (name, isInlined, isCertain) = (nil, false, true)
            return
        }
        guard rest.count > 0, rest.firstIndex(of: UInt8(ascii: ":")) == nil || rest.hasSuffix(")") else { return nil }
        guard rest.hasSuffix(")"), let open = rest.lastIndex(of: UInt8(ascii: "(")), open > 0, GoFunctionLine.isName(rest.upTo(open)) else {
            guard GoFunctionLine.isName(rest) else { return nil }
            (name, isInlined, isCertain) = (rest.text, false, false)
            return
        }
        (name, isInlined, isCertain) = (rest.upTo(open).text, rest.from(open).equals("(...)"), true)
    }

    /// `encoding/json.(*decodeState).object`: no blanks outside of brackets. (C++ names, which a
    /// program's own symbolizer may give, have them.)
    private static func isName(_ text: Span<UInt8>) -> Bool {
        var depth = 0
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "["), UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "{"): depth &+= 1
            case UInt8(ascii: "]"), UInt8(ascii: ")"), UInt8(ascii: ">"), UInt8(ascii: "}"): depth &-= 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"): if depth <= 0 { return false }
            default: break
            }
        }
        return text.count > 0
    }

    /// The symbol table's name; `nil` if the line does not have it: the runtime writes `f[...]` for
    /// every instance of a generic function.
    var symbol: String? {
        guard let name, !name.contains("[...]") else { return nil }
        return name == "panic" ? "runtime.gopanic" : name
    }
}

/// The second line.
struct GoPlaceLine {
    var location: SourceLocation?
    /// From the function's entry.
    var offset: UInt64?
    var pc: UInt64?

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        if let found = rest.lastRange(of: "pc=0x"), found.lowerBound == 0 || isBlank(rest[found.lowerBound - 1]) {
            guard let value = rest.from(found.upperBound).hexadecimal else { return nil }
            pc = value
            rest = rest.upTo(found.lowerBound).trimmed()
        }
        for label in [" sp=0x", " fp=0x"] {
            guard let found = rest.lastRange(of: label) else { continue }
            guard rest.from(found.upperBound).hexadecimal != nil else { return nil }
            rest = rest.upTo(found.lowerBound)
        }
        offset = rest.takeHexadecimal(atEndBehind: " +0x")
        location = SourceLocationText.read(rest)
        guard location != nil || (pc != nil && rest.count == 0) else { return nil }
    }
}

/// The lines above the goroutines that show where a signal came, as the only ones to do so where
/// that was in C:
///
///     [signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x462746]
///     PC=0x462746 m=0 sigcode=1 addr=0x0
///
/// cairn's result follows it: ` fill (/src/tank.c:12) +0x6`, inlined calls as
/// ` pour [inlined] (/src/tank.c:6) in fill (…`.
struct GoSignalLine {
    var pc: UInt64?
    var address: UInt64?
    /// `SIGSEGV`; the second form has it in the line above.
    var signal: String?
    var message: String?
    /// `code=0x1`: `si_code`.
    var code: UInt64?
    /// Where the result's place begins.
    var answerStart: Int
    var printed: PrintedSymbol?

    init?(_ line: Span<UInt8>) {
        var rest = line
        if rest.take("[signal ") {
            guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let inner = rest.upTo(close)
            let words = inner.upTo(inner.firstRange(of: " code=")?.lowerBound ?? inner.count)
            guard let colon = words.firstRange(of: ": ") else { return nil }
            signal = words.upTo(colon.lowerBound).text
            message = words.from(colon.upperBound).text
            pc = inner.address(after: " pc=")
            address = inner.address(after: " addr=")
            code = inner.address(after: " code=")
            rest = rest.from(close + 1)
        } else {
            guard rest.take("PC="), let value = rest.takeAddress(), rest.hasPrefix(" m=") else { return nil }
            pc = value
            address = rest.address(after: " addr=")
            // Numbers with labels, up to what is none.
            while rest.count > 0 {
                var next = rest
                next.skipBlanks()
                guard let equals = next.firstIndex(of: UInt8(ascii: "=")), equals < 16,
                    next.upTo(equals).firstIndex(of: UInt8(ascii: " ")) == nil
                else { break }
                _ = next.takeToken()
                rest = next
            }
        }
        answerStart = line.count - rest.count
        printed = GoSignalLine.symbol(rest.trimmed())
    }

    static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        guard text.count > 0 else { return nil }
        var rest = text
        var symbol = PrintedSymbol()
        symbol.offset = rest.takeHexadecimal(atEndBehind: " +0x")
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (") {
            symbol.location = SourceLocationText.read(rest.clamped(to: open.upperBound..<rest.count - 1))
            if symbol.location != nil { rest = rest.upTo(open.lowerBound) }
        }
        if let outer = rest.lastRange(of: ") in ") { rest = rest.from(outer.upperBound) }
        symbol.name = rest.text
        return symbol
    }
}
