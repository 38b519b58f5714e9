internal import BinaryPrimitives

/// One frame as Node prints it (`SymbolInfo::Display` in `src/debug_utils.cc`): number, address, dladdr's name, `+` and a distance on Windows, and the file in brackets:
///
///      1: 0xb78db3 node::OOMErrorHandler(char const*, v8::OOMDetails const&) [node]
///      4: 0x10fb205  [node]
///      2: 00007FF64E9020FF node::TriggerNodeReport+71583                                   Windows
///      5: 0xd3a3c0 node::Abort() [node] (../src/api/hooks.cc:142:3)                         answered by this package
struct NodeRow {
    var index: Int
    var address: UInt64
    var printed: PrintedSymbol?
    var isInlined = false
    /// The file in brackets, as the program was started: `node`, `/usr/lib/libc.so.6`.
    var path: String?
    /// Where the address ends.
    var addressEnd: Int
    /// Where the file's bracket begins, with its blank, or the row ends.
    var pathStart: Int
    /// Where the file's bracket ends, or the row.
    var pathEnd: Int

    init?(_ row: Span<UInt8>) {
        var rest = row
        rest.skipBlanks()
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(": ") else { return nil }
        self.index = index
        let digits = rest
        if let value = rest.takeAddress() {
            address = value
        } else {
            // Windows: sixteen digits.
            guard let value = rest.takeHexadecimal(), digits.count - rest.count == 16 else { return nil }
            address = value
        }
        guard rest.count == 0 || isBlank(rest[0]) else { return nil }
        addressEnd = row.count - rest.count
        pathStart = row.count
        pathEnd = row.count
        var symbol = PrintedSymbol()
        var text = rest.trimmed()
        if text.hasSuffix(")"), let open = text.lastRange(of: "] (") {
            let place = SwiftSymbolText.location(text.clamped(to: open.upperBound..<text.count - 1))
            if place.line > 0 {
                symbol.location = place
                text = text.upTo(open.lowerBound + 1)
            }
        }
        if text.hasSuffix("]"), let open = text.lastIndex(of: UInt8(ascii: "[")), !text.hasSuffix("[inlined]") {
            path = text.clamped(to: open + 1..<text.count - 1).text
            let start = addressEnd + (rest.firstIndex(of: UInt8(ascii: "[")).map { _ in NodeRow.offset(of: open, in: text, of: rest) } ?? 0)
            pathStart = row.at(start - 1).map(isBlank) == true ? start - 1 : start
            pathEnd = start + text.count - open
            text = text.upTo(open).trimmed()
        }
        if text.hasSuffix(" [inlined]") {
            isInlined = true
            text = text.upTo(text.count - " [inlined]".utf8.count).trimmed()
        }
        if let plus = text.lastIndex(of: UInt8(ascii: "+")), plus > 0 {
            var distance = text.from(plus + 1)
            if let number = distance.takeDecimal(), distance.count == 0 {
                symbol.offset = number
                text = text.upTo(plus)
            }
        }
        if text.count > 0 { symbol.name = text.text }
        if symbol != PrintedSymbol() { printed = symbol }
    }

    /// Where a byte of the trimmed text stands in the text that was trimmed.
    private static func offset(of position: Int, in trimmed: Span<UInt8>, of text: Span<UInt8>) -> Int {
        var blanks = 0
        while let byte = text.at(blanks), isBlank(byte) { blanks += 1 }
        return blanks + position
    }
}

/// A row of JavaScript below Node's native stack: `2: runScriptInThisContext (node:internal/vm:209:10)`, `1: [eval]:1:9`.
struct NodeScriptRow {
    var index: Int
    var printed: PrintedSymbol

    init?(_ line: Span<UInt8>) {
        var rest = line.trimmed()
        guard let number = rest.takeDecimal(), let index = Int(exactly: number), rest.take(": "), rest.count > 0 else { return nil }
        self.index = index
        if rest.hasSuffix(")"), let open = rest.lastRange(of: " (") {
            let place = SwiftSymbolText.location(rest.clamped(to: open.upperBound..<rest.count - 1))
            printed = PrintedSymbol(name: rest.upTo(open.lowerBound).text, location: place.line > 0 ? place : nil)
        } else {
            let place = SwiftSymbolText.location(rest)
            guard place.line > 0 else { return nil }
            printed = PrintedSymbol(location: place)
        }
    }
}
