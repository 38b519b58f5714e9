internal import BinaryPrimitives

/// A row of GWP-ASan: the number, and what `backtrace_symbols(3)` says of the address, or the address alone.
///
///     #9 ./a.out(_ZStlsIcSt11char_traitsIcEE+0x45) [0x55585c0afa55]
///     #3 ./a.out(+0x11d2) [0x5555555551d2]
///     #1 /src/static [0x401136]
///     #1 0x401136
///
/// Answered, ` in FUNCTION FILE:LINE:COLUMN` stands behind it.
struct GWPASanRow {
    var index: Int
    var address: UInt64
    /// The file, as the row has it.
    var path: String?
    var place: ImagePlace?
    var printed: PrintedSymbol?
    /// Just behind the address and its bracket.
    var headEnd: Int
    /// Just behind the last byte that is no blank.
    var end: Int

    init?(_ line: Span<UInt8>) {
        var rest = line
        rest.skipBlanks()
        guard rest.take("#"), let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(" ") else { return nil }
        self.index = index
        end = line.count
        while end > 0, let byte = line.at(end - 1), isBlank(byte) { end -= 1 }
        if let address = rest.takeAddress() {
            self.address = address
            headEnd = line.count - rest.count
        } else {
            guard let open = rest.firstRange(of: " [0x") ?? rest.firstRange(of: "[0x") else { return nil }
            var text = rest.upTo(open.lowerBound)
            rest = rest.from(open.upperBound - 2)
            guard let address = rest.takeAddress(), rest.take("]") else { return nil }
            self.address = address
            headEnd = line.count - rest.count
            if text.hasSuffix(")"), let parenthesis = text.lastIndex(of: UInt8(ascii: "(")) {
                takePlace(text.clamped(to: parenthesis + 1..<text.count - 1))
                text = text.upTo(parenthesis)
            }
            if text.count > 0 { path = text.text }
        }
        takeAnswer(line.clamped(to: headEnd..<end))
    }

    /// `main+0x9f`, `+0x11d2`: from a symbol that the dynamic linker knows, or from where the file is linked (`l_addr`).
    private mutating func takePlace(_ text: Span<UInt8>) {
        guard let plus = text.lastRange(of: "+0x") else { return }
        var digits = text.from(plus.upperBound)
        guard let offset = digits.takeHexadecimal(), digits.count == 0 else { return }
        let name = text.upTo(plus.lowerBound).text
        if name.isEmpty {
            place = .linkAddress(LinkAddress(offset))
        } else {
            place = .symbol(SymbolPlace(name: name, offset: offset))
            printed = PrintedSymbol(name: name, offset: offset)
        }
    }

    private mutating func takeAnswer(_ text: Span<UInt8>) {
        guard text.hasPrefix(" in "), let symbol = SanitizerRow.symbol(text.from(4), hasModule: false) else { return }
        printed = symbol
    }

    func frame(at place: Range<Int>) -> Frame {
        var frame = Frame(index: index, kind: .returnAddress, address: RuntimeAddress(address), place: place)
        frame.imagePlace = self.place
        frame.imageName = path.map { lastPathComponent($0) }
        frame.printed = printed
        return frame
    }
}
