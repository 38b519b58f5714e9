internal import BinaryPrimitives
internal import CrashLogModel

/// One frame of the kernel's backtrace:
///
///     0xffffffb064dae750 : 0xffffff801daa0d75 mach_kernel : _handle_debugger_trap + 0x5d5      x86_64, with `keepsyms=1`
///     0xffffffb04918f680 : 0xffffff80021020ba
///     0x2e5d3bc8 : 0x12b4c6 (0x45f91c 0x2e5d3bfc 0x133243 0x0)                                 i386: with what may be arguments
///     lr: 0xfffffff00e7ca1cc  fp: 0xffffffe80438ac80                                           arm64
///
/// The frame's address on the stack, and where it returns to (`i386_backtrace` in xnu's
/// `osfmk/i386/AT386/model_dep.c`, `print_one_backtrace` in `osfmk/arm/model_dep.c`).
struct ApplePanicRow {
    var address: UInt64
    /// Where the result's place begins: after the addresses.
    var answerStart: Int
    /// `mach_kernel`, or an extension's identifier.
    var imageName: String?
    var printed: PrintedSymbol?
    var isInlined = false

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        if rest.take("lr:") {
            rest.skipBlanks()
            guard let value = rest.takeAddress() else { return nil }
            address = value
            rest.skipBlanks()
            guard rest.take("fp:") else { return nil }
            rest.skipBlanks()
            guard rest.takeAddress() != nil else { return nil }
        } else {
            guard rest.takeAddress() != nil, rest.take(" : "), let value = rest.takeAddress() else { return nil }
            address = value
            // Stack words are no names.
            var arguments = rest
            if arguments.take(" (0x"), let close = arguments.firstIndex(of: UInt8(ascii: ")")), ApplePanicRow.isWords(arguments.upTo(close))
            {
                rest = arguments.from(close + 1)
            }
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return nil }
        answerStart = line.count - rest.count
        takeSymbol(rest.trimmed())
    }

    private static func isWords(_ text: Span<UInt8>) -> Bool {
        for index in 0..<text.count where hexadecimalValue(text[index]) == nil && text[index] != UInt8(ascii: "x") && !isBlank(text[index])
        { return false }
        return true
    }

    /// `mach_kernel : _panic + 0x54`; cairn's own `mach_kernel : panic + 0x54 (debug.c:94)`,
    /// `… : inner [inlined] (b.h:7)`
    private mutating func takeSymbol(_ text: Span<UInt8>) {
        guard let colon = text.firstRange(of: " : ") else { return }
        imageName = text.upTo(colon.lowerBound).trimmed().text
        var rest = text.from(colon.upperBound).trimmed()
        var symbol = PrintedSymbol()
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " ("),
            let place = SourceLocationText.readLine(rest.clamped(to: open.upperBound..<rest.count - 1))
        {
            symbol.location = place
            rest = rest.upTo(open.lowerBound).trimmed()
        }
        isInlined = rest.takeLast(" [inlined]")
        rest = rest.trimmed()
        symbol.offset = rest.takeHexadecimal(atEndBehind: " + 0x")
        rest = rest.trimmed()
        guard rest.count > 0 else { return }
        symbol.name = rest.text
        printed = symbol
    }
}

/// An extension that has a frame in the backtrace:
///
///     com.apple.iokit.IOUSBFamily(900.4.2)[B3A7BE9C-2002-3891-B7D1-A84CEA0AC9E0]@0xffffff7f9838c000->0xffffff7f98426fff
///
/// Before OS X 10.7 without the identity. Those that it depends on follow, indented, and hold no
/// frames.
struct ApplePanicExtension {
    var name: String
    var id: ImageID?
    var start: UInt64
    /// The last byte.
    var end: UInt64

    init?(_ text: Span<UInt8>) {
        guard let at = text.lastIndex(of: UInt8(ascii: "@")), let open = text.firstIndex(of: UInt8(ascii: "(")), open > 0, open < at else {
            return nil
        }
        var range = text.from(at + 1)
        guard let start = range.takeAddress(), range.take("->"), let end = range.takeAddress(), end >= start else { return nil }
        let name = text.upTo(open)
        guard name.firstIndex(of: UInt8(ascii: " ")) == nil else { return nil }
        self.name = name.text
        self.start = start
        self.end = end
        if let bracket = text.firstIndex(of: UInt8(ascii: "["), from: open),
            let close = text.firstIndex(of: UInt8(ascii: "]"), from: bracket), close < at
        {
            id = ImageID(text: text.clamped(to: bracket + 1..<close).text)
        }
    }

    var size: UInt64 { end - start == .max ? .max : end - start + 1 }
}
