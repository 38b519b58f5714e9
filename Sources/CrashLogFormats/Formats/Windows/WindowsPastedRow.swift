internal import BinaryPrimitives
internal import CrashLogModel

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
            guard rest.take(" ("), let close = rest.firstIndex(of: UInt8(ascii: ")")), close > 0 else { return nil }
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
        if rest.take(">") { rest.skipBlanks() }
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

    /// What stands between such rows and is none of them.
    static func isBetweenRows(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        return text.count == 0 || text.hasPrefix("ERROR: SymGetSymFromAddr64, ") || text.hasPrefix("[External Code]")
            || text.hasPrefix("[Frames below may be incorrect")
    }
}
