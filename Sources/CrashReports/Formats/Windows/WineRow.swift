internal import BinaryPrimitives

/// One frame of Wine's debugger (`stack_print_addr_and_args` of `programs/winedbg/stack.c`):
///
///     =>0 0x038e0040 in harbour (+0x34e0040) (0x0033fed8)                       no symbol: how far it is from the module's first byte; the frame pointer
///       1 0x7b463dae moor+0x1d(rope=0x11) [/src/wine/moor.c:12] in kernel32 (0x0033ffec)
///
/// `=>` marks the frame that the debugger shows. This package marks inlined calls with ` [inlined]` in front of ` in `.
struct WineRow {
    var index: Int
    var address: UInt64
    var module: String?
    var offset: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// Behind the address, and where ` in ` begins.
    var addressEnd: Int
    var moduleStart: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        if !rest.take("=>") {
            guard rest.at(0).map(isBlank) ?? false else { return nil }
            rest.skipBlanks()
        }
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(" "), let address = rest.takeAddress(),
            rest.at(0).map(isBlank) ?? false
        else { return nil }
        (self.index, self.address) = (index, address)
        addressEnd = row.count - rest.count
        guard let mark = rest.lastRange(of: " in ") else { return nil }
        moduleStart = addressEnd + mark.lowerBound
        takeModule(rest.from(mark.upperBound))
        takeSymbol(rest.upTo(mark.lowerBound).trimmed())
    }

    /// `harbour (+0x34e0040) (0x0033fed8)`, `libc.so.6 (+0x27249)`
    private mutating func takeModule(_ text: Span<UInt8>) {
        var rest = text.trimmed()
        let name = rest.takeToken()
        module = name.count > 0 ? name.text : nil
        rest.skipBlanks()
        guard rest.take("(+") else { return }
        offset = rest.takeAddress()
    }

    /// `moor+0x1d(rope=0x11) [/src/wine/moor.c:12]`
    private mutating func takeSymbol(_ text: Span<UInt8>) {
        var name = text
        var symbol = PrintedSymbol()
        if name.hasSuffix(" [inlined]") {
            isInlined = true
            name = name.upTo(name.count - " [inlined]".utf8.count)
        }
        if name.hasSuffix("]"), let open = name.lastRange(of: " ["),
            let location = SourcePlaceText.read(name.clamped(to: open.upperBound..<name.count - 1))
        {
            symbol.location = location
            name = name.upTo(open.lowerBound)
        }
        if let plus = name.firstRange(of: "+0x") {
            var digits = name.from(plus.upperBound)
            symbol.offset = digits.takeHexadecimal()
            name = name.upTo(plus.lowerBound)
        } else if let open = name.firstIndex(of: UInt8(ascii: "(")), open > 0 {
            name = name.upTo(open)
        }
        guard name.count > 0 else { return }
        symbol.name = name.text
        printed = symbol
    }
}

/// A row of the debugger's list of modules (`module_print_info` of `programs/winedbg/info.c`): kind, range, debug information, name.
///
///     PE	  400000- 3985000	Export          harbour
///     ELF	7b400000-7b7f0000	Dwarf           kernel32<elf>             kernel32.dll.so
///       \-PE	7b410000-7b7f0000	\               kernel32                the PE module inside of it
///     PE-Wine	7ffd0000-7ffe0000	Deferred        ntdll
struct WineModule {
    var isELF: Bool
    var start: UInt64
    var end: UInt64
    var name: String

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        _ = rest.take("\\-")
        let kind = rest.takeToken()
        isELF = kind.equals("ELF")
        guard isELF || kind.equals("PE") || kind.hasPrefix("PE-") || kind.equals("Mach-O") else { return nil }
        rest.skipBlanks()
        guard let start = rest.takeHexadecimal(), rest.take("-") else { return nil }
        rest.skipBlanks()
        guard let end = rest.takeHexadecimal(), start < end, rest.at(0).map(isBlank) ?? false else { return nil }
        (self.start, self.end) = (start, end)
        rest.skipBlanks()
        // `Dwarf`, `Export`, `Deferred`, `DIA`, `--none--`, `\`.
        guard rest.takeToken().count > 0 else { return nil }
        let name = rest.trimmed()
        guard name.count > 0 else { return nil }
        self.name = name.text
    }
}
