internal import BinaryPrimitives
internal import CrashLogModel

/// One native frame of a javacore (`omrintrospect_backtrace_symbols` of OMR's port library):
///
///     4XENATIVESTACK               (0x00007F8B7C0B3D7D [libcrash.so+0x1d7d])
///     4XENATIVESTACK               j9thread_park+0x11b (0x00002AAAABA8953B [libj9thr24.so+0x553b])
///     4XENATIVESTACK               j9shsem_wait+0x94 (j9shsem.c:233, 0x7460C394 [J9PRT26+0xc394])      Windows, which has the lines
struct JavacoreRow {
    var address: UInt64
    var library: String?
    var offset: UInt64?
    var printed: PrintedSymbol?
    var isInlined = false
    /// The row's parts: where the symbol begins (after the tag and its blanks), and where the
    /// address does.
    var symbolStart: Int
    var addressStart: Int

    static let tag = "4XENATIVESTACK"

    init?(_ row: Span<UInt8>) {
        var rest = row
        guard rest.take(JavacoreRow.tag), let blank = rest.at(0), isBlank(blank) else { return nil }
        rest.skipBlanks()
        symbolStart = row.count - rest.count
        let text = rest.trimmed()
        guard text.hasSuffix(")"), let open = JavacoreRow.open(text) else { return nil }
        var inner = text.clamped(to: open + 1..<text.count - 1)
        var location: SourceLocation?
        if let comma = inner.lastRange(of: ", 0x") {
            location = SourceLocationText.read(inner.upTo(comma.lowerBound))
            inner = inner.from(comma.lowerBound + 2)
        }
        addressStart = symbolStart + (text.count - 1 - inner.count)
        guard let address = inner.takeAddress() else { return nil }
        self.address = address
        if inner.take(" ["), inner.takeLast("]"), let offset = inner.takeHexadecimal(atEndBehind: "+0x"), inner.count > 0 {
            library = inner.text
            self.offset = offset
        }
        readSymbol(text.upTo(open).trimmed(), location)
    }

    /// The bracket that holds the address: a symbol may have brackets of its own before it.
    private static func open(_ text: Span<UInt8>) -> Int? {
        guard let address = text.lastRange(of: "0x", before: text.lastRange(of: " [")?.lowerBound) else { return nil }
        return text.lastIndex(of: UInt8(ascii: "("), before: address.lowerBound)
    }

    private mutating func readSymbol(_ text: Span<UInt8>, _ location: SourceLocation?) {
        var rest = text
        guard rest.count > 0 else { return }
        var symbol = PrintedSymbol(location: location)
        isInlined = rest.takeLast(" [inlined]")
        if !isInlined { symbol.offset = rest.takeHexadecimal(atEndBehind: "+0x") }
        if rest.count > 0 { symbol.name = rest.text }
        printed = symbol
    }

    func frame(index: Int, at place: Range<Int>) -> Frame {
        Frame(index: index, address: address, place: place, imageName: library, imageOffset: offset, printed: printed, isInlined: isInlined)
    }
}
