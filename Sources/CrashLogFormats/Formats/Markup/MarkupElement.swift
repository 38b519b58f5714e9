internal import BinaryPrimitives
internal import CrashLogModel

/// One element of symbolizer markup, `{{{tag:field:…}}}`, in a line.
struct MarkupElement {
    enum Content {
        case reset
        case module(number: UInt64, name: String, id: ImageID?)
        case mapping(start: UInt64, size: UInt64, module: UInt64, linkAddress: UInt64)
        case frame(number: Int, address: UInt64, kind: Frame.Kind?)
        case codeAddress(address: UInt64, kind: Frame.Kind?)
        /// Colours of text, symbols, data, dumps: nothing of a stack.
        case other
    }
    var content: Content
    /// Its bytes in the line, braces included.
    var range: Range<Int>

    var isOfTrace: Bool {
        if case .other = content { return false }
        return true
    }

    /// The first element at or after `start`.
    init?(in line: Span<UInt8>, from start: Int) {
        var position = start
        while let open = line.firstRange(of: "{{{", from: position) {
            // Fields hold no braces; an element that is not closed is text.
            guard let close = line.firstRange(of: "}}}", from: open.upperBound) else { return nil }
            let inside = line.clamped(to: open.upperBound..<close.lowerBound)
            guard inside.firstIndex(of: UInt8(ascii: "{")) == nil, inside.count <= 4096 else {
                position = open.lowerBound + 1
                continue
            }
            content = MarkupElement.content(of: inside)
            range = open.lowerBound..<close.upperBound
            return
        }
        return nil
    }

    private static func content(of text: Span<UInt8>) -> Content {
        // No element that is read has more than seven.
        let fields = text.fields(separatedBy: UInt8(ascii: ":"), maxCount: 8)
        func field(_ index: Int) -> Range<Int> { index < fields.count ? fields[index] : 0..<0 }
        let tag = text.clamped(to: field(0))
        if tag.equals("reset") { return .reset }
        if tag.equals("module") {
            guard let number = integer(text.clamped(to: field(1))) else { return .other }
            let id = text.clamped(to: field(3)).equals("elf") ? ImageID(text: text.clamped(to: field(4)).text) : nil
            return .module(number: number, name: text.clamped(to: field(2)).text, id: id)
        }
        if tag.equals("mmap") {
            guard let start = address(text.clamped(to: field(1))), let size = integer(text.clamped(to: field(2))),
                text.clamped(to: field(3)).equals("load"), let module = integer(text.clamped(to: field(4))),
                let linkAddress = address(text.clamped(to: field(6)))
            else { return .other }
            return .mapping(start: start, size: size, module: module, linkAddress: linkAddress)
        }
        if tag.equals("bt") {
            guard let index = text.clamped(to: field(1)).decimal.flatMap({ Int(exactly: $0) }),
                let address = address(text.clamped(to: field(2)))
            else { return .other }
            return .frame(number: index, address: address, kind: kind(text.clamped(to: field(3))))
        }
        if tag.equals("pc") {
            guard let address = address(text.clamped(to: field(1))) else { return .other }
            return .codeAddress(address: address, kind: kind(text.clamped(to: field(2))))
        }
        return .other
    }

    private static func kind(_ text: Span<UInt8>) -> Frame.Kind? {
        if text.equals("ra") { return .returnAddress }
        return text.equals("pc") ? .programCounter : nil
    }

    /// `%p`: `0x` and digits; zero may have no prefix.
    private static func address(_ text: Span<UInt8>) -> UInt64? {
        if let value = text.address { return value }
        return text.count > 0 && (0..<text.count).allSatisfy { text[$0] == UInt8(ascii: "0") } ? 0 : nil
    }

    /// `%i`: hexadecimal with `0x`, octal with `0`, else decimal.
    private static func integer(_ text: Span<UInt8>) -> UInt64? {
        var rest = text
        if let value = rest.readAddress() { return rest.count == 0 ? value : nil }
        if text.at(0) == UInt8(ascii: "0"), text.count > 1, text.count <= 21 {
            var value: UInt64 = 0
            for index in 0..<text.count {
                let digit = text[index] &- UInt8(ascii: "0")
                guard digit < 8 else { return nil }
                value = value << 3 | UInt64(digit)
            }
            return value
        }
        return text.decimal
    }
}

/// A result written after an element, or above it for inlined calls: `#0.1 inner /src/a.c:3:5`.
struct MarkupResult {
    var index = 0
    var symbol: PrintedSymbol

    /// Reads ` outer /src/a.c:12:3` up to the line's end after a frame, and ` inner[/src/a.c:12:3]`
    /// after an element in a sentence. Only a result with a line can be distinguished from other
    /// text.
    init?(behind text: Span<UInt8>, isInText: Bool) {
        guard text.at(0) == UInt8(ascii: " "), !text.contains("{{{") || isInText else { return nil }
        if isInText {
            guard let close = text.firstIndex(of: UInt8(ascii: "]")), let open = text.lastIndex(of: UInt8(ascii: "["), before: close),
                open > 1, let location = SourceLocationText.read(text.clamped(to: open + 1..<close))
            else { return nil }
            symbol = PrintedSymbol(name: text.clamped(to: 1..<open).text, location: location)
        } else {
            guard let found = MarkupResult.symbol(text.from(1)) else { return nil }
            symbol = found
        }
    }

    init?(inlined line: Span<UInt8>) {
        var rest = line.trimmed()
        guard rest.consume("#"), let number = rest.readDecimal(), let index = Int(exactly: number), rest.consume("."),
            rest.readDecimal() != nil,
            rest.consume(" "), let found = MarkupResult.symbol(rest)
        else { return nil }
        self.index = index
        symbol = found
    }

    /// The name may contain blanks; the location is the last token.
    private static func symbol(_ text: Span<UInt8>) -> PrintedSymbol? {
        let text = text.trimmed()
        guard let blank = text.lastIndex(of: UInt8(ascii: " ")), blank > 0 else { return nil }
        return SourceLocationText.read(text.from(blank + 1)).map { PrintedSymbol(name: text.upTo(blank).text, location: $0) }
    }
}
