internal import BinaryPrimitives
internal import CrashLogModel

/// What comes before a line's own text in Unreal's logs:
/// `[2022.09.22-08.08.48:756][ 0]LogWindows: Error: [Callstack] `.
struct UnrealLine {
    /// Where the text begins, in bytes from the line's start.
    var start = 0
    /// `[Callstack]` came before it.
    var isCallstack = false

    init(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        // The date, and the frame that the game was in.
        if rest.at(0) == UInt8(ascii: "["), isDigit(rest.at(1) ?? 0), let close = rest.upTo(32).firstIndex(of: UInt8(ascii: "]")) {
            rest = rest.from(close + 1)
            if rest.at(0) == UInt8(ascii: "["), let close = rest.upTo(16).firstIndex(of: UInt8(ascii: "]")) { rest = rest.from(close + 1) }
        }
        if rest.hasPrefix("Log"), let colon = rest.upTo(64).firstRange(of: ": ") { rest = rest.from(colon.upperBound) }
        for verbosity in ["Fatal: ", "Error: ", "Warning: ", "Display: ", "Log: "] where rest.take(verbosity) { break }
        if rest.take("[Callstack]") {
            isCallstack = true
            rest.skipBlanks()
            // Before 4.20, Linux numbered the rows.
            var number = rest
            if number.takeDecimal() != nil, number.hasPrefix("  0x") { rest = number.from(2) }
        }
        start = line.count - rest.count
    }
}

/// One row of a stack.
///
///     0x00007ff9aeb40577 UE4Editor-Core.dll!FDebug::AssertFailed() [c:\src\assertionmacros.cpp:440]
///     0x00007f2b4e892830 libc.so.6!__libc_start_main(+0x7f)
///     0x0000733cf5c29d90 libc.so.6!UnknownFunction(0x29d8f)
///     UnrealEditor_Core!FDebug::CheckVerifyFailedImpl2() [D:\src\AssertionMacros.cpp:728]     in the crash reporter's file
///     kernel32
struct UnrealRow {
    var address: UInt64?
    var module: String?
    var moduleOffset: UInt64?
    var printed: PrintedSymbol?
    /// Where the module ends in the row, after the `!`, and where the row's text ends.
    var nameStart = 0
    /// A place in the source is in a file of Windows', or the module is a file of its.
    var isWindows = false
    var isUnix = false

    /// - Parameter allowsModules: a module alone is a row.
    init?(_ row: Span<UInt8>, allowsModules: Bool = false) {
        var rest = row
        rest.skipBlanks()
        if let address = rest.takeAddress() {
            guard rest.take(" ") else { return nil }
            self.address = address
            rest.skipBlanks()
        }
        var symbol = PrintedSymbol()
        var text = rest.trimmed()
        if text.hasSuffix("]"), let open = text.lastRange(of: " [") {
            symbol.location = UnrealRow.location(text.clamped(to: open.upperBound..<text.count - 1))
            text = text.upTo(open.lowerBound).trimmed()
        }
        guard let mark = text.firstIndex(of: UInt8(ascii: "!")), mark > 0 else {
            guard allowsModules, address == nil, UnrealRow.isModule(text) else { return nil }
            module = text.text
            return
        }
        guard UnrealRow.isModule(text.upTo(mark)) else { return nil }
        let name = text.upTo(mark).text
        module = name
        nameStart = row.count - rest.count + mark + 1
        var function = text.from(mark + 1)
        if function.take("UnknownFunction") {
            if function.take("("), let offset = function.takeAddress(), function.equals(")") { moduleOffset = offset }
        } else {
            if function.hasSuffix(")"), let plus = function.lastRange(of: "(+0x") {
                var number = function.from(plus.upperBound)
                if let offset = number.takeHexadecimal(), number.equals(")") {
                    symbol.offset = offset
                    function = function.upTo(plus.lowerBound)
                }
            }
            if function.count > 0 { symbol.name = function.text }
        }
        if symbol != PrintedSymbol() { printed = symbol }
        let lower = name.lowercased()
        isWindows = lower.hasSuffix(".dll") || lower.hasSuffix(".exe") || symbol.location?.file.contains("\\") == true
        isUnix = symbol.location?.file.hasPrefix("/") == true || lower.contains(".so")
    }

    /// `c:\src\a.cpp:440`; before 4.20 on Linux, `Runtime/Core/Stats2.h, line 1686`. `[]` where
    /// nothing is known.
    private static func location(_ text: Span<UInt8>) -> SourceLocation? {
        guard text.count > 0, !text.hasPrefix("UnknownFile") else { return nil }
        if let words = text.lastRange(of: ", line ") {
            return SourceLocation(
                file: text.upTo(words.lowerBound).text, line: text.from(words.upperBound).leadingDecimal.flatMap { Int(exactly: $0) } ?? 0)
        }
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return SourceLocation(file: text.text, line: 0) }
        guard let line = text.from(colon + 1).decimal.flatMap({ Int(exactly: $0) }) else {
            return SourceLocation(file: text.text, line: 0)
        }
        return SourceLocation(file: text.upTo(colon).text, line: line)
    }

    /// A file's name without blanks and brackets; projects are named like identifiers.
    private static func isModule(_ text: Span<UInt8>) -> Bool {
        guard text.count > 0, text.count <= 255 else { return false }
        for index in 0..<text.count {
            let byte = text[index]
            guard isDigit(byte) || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte >= 0x80 || isOne(byte, of: "._-+") else {
                return false
            }
        }
        return true
    }

    func frame(index: Int, at place: Range<Int>) -> Frame {
        Frame(index: index, address: address, place: place, imageName: module, printed: printed)
    }
}
