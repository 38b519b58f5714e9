internal import BinaryPrimitives

/// One frame of an X server's backtrace (`os/backtrace.c` of xserver, by libunwind, by `backtrace(3)` with dladdr, before 1.10 by `backtrace_symbols(3)`):
///
///     0: /usr/libexec/Xorg (OsLookupColor+0x139) [0x59ab89]               the nearest exported symbol
///     1: /usr/bin/X (0x7f5325509000+0x1ac9a9) [0x7f53256b59a9]            no symbol: where the file was loaded
///     2: /usr/bin/X(xf86SigHandler+0x51) [0x80c1c61]
///     3: (vdso) (__kernel_rt_sigreturn+0x0) [0xa9a40c]
///     4: ?? [0x29]        4: ? (?+0x29) [0x29]        4: [0xb804b400]
///     5: <signal handler called>
///     0: Xvfb (OsLookupColor+0x139) [0x564eef6b0c09] handle_signal at osinit.c:138:5        answered by this package
struct XorgRow {
    var index: Int
    /// `nil` for `<signal handler called>`.
    var address: UInt64?
    var path: String?
    var symbol: SymbolPlace?
    /// The file's load address, where the row tells it.
    var base: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// Where the address's bracket ends.
    var addressEnd: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        if rest.take("(EE)") { rest.skipBlanks() }
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(": ") else { return nil }
        self.index = index
        addressEnd = row.count
        if rest.trimmed().equals("<signal handler called>") { return }
        guard let open = rest.firstRange(of: "[0x") else { return nil }
        var number2 = rest.from(open.lowerBound + 1)
        guard let value = number2.takeAddress(), number2.take("]") else { return nil }
        address = value
        addressEnd = row.count - number2.count
        takePlace(rest.upTo(open.lowerBound).trimmed())
        takeAnswer(number2.trimmed())
    }

    /// `/usr/bin/X (xf86SigHandler+0x51)`, `/usr/bin/X (0x7f5325509000+0x1ac9a9)`, `??`
    private mutating func takePlace(_ text: Span<UInt8>) {
        var file = text
        if text.hasSuffix(")"), let open = text.lastIndex(of: UInt8(ascii: "(")), let plus = text.lastRange(of: "+0x"),
            plus.lowerBound > open
        {
            file = text.upTo(open).trimmed()
            var digits = text.clamped(to: plus.upperBound..<text.count - 1)
            let name = text.clamped(to: open + 1..<plus.lowerBound)
            if let offset = digits.takeHexadecimal(), digits.count == 0, name.count > 0 {
                var number = name
                if let base = number.takeAddress(), number.count == 0 {
                    self.base = base
                } else if !name.equals("?"), !name.hasSuffix("...") {
                    // A name that was cut at 256 bytes is no name.
                    symbol = SymbolPlace(name: name.text, offset: offset)
                    printed = PrintedSymbol(name: name.text, offset: offset)
                }
            }
        }
        if file.count > 0, !file.equals("?"), !file.equals("??") { path = file.text }
    }

    /// `handle_signal [inlined] at osinit.c:138:5`
    private mutating func takeAnswer(_ text: Span<UInt8>) {
        var text = text
        guard text.count > 0 else { return }
        var name = printed ?? PrintedSymbol()
        if let mark = text.lastRange(of: " at ") {
            let place = SwiftSymbolText.location(text.from(mark.upperBound))
            if place.line > 0 {
                name.location = place
                text = text.upTo(mark.lowerBound).trimmed()
            }
        }
        if text.hasSuffix(" [inlined]") {
            isInlined = true
            text = text.upTo(text.count - " [inlined]".utf8.count).trimmed()
        }
        if text.count > 0 {
            name.name = text.text
            name.offset = nil
        }
        printed = name
    }

    static func text(_ function: FrameAnswer.Function) -> String {
        let place = function.location.map { " at " + SwiftSymbolText.text($0) } ?? ""
        return " " + AppleSymbolText.oneLine(function.name) + (function.isInlined ? " [inlined]" : "") + place
    }
}
