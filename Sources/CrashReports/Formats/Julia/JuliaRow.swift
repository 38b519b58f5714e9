internal import BinaryPrimitives

/// One row of a stack that Julia's runtime prints (`jl_print_native_codeloc`, `jl_safe_print_codeloc` of `src/stackwalk.c`):
///
///     moor at /src/harbour.c:12
///     tie at /src/rope.h:3 [inlined]
///     berth at /opt/lib/libharbour.so (unknown line)                 the file without lines: the name is the symbol table's
///     unknown function (ip: 0x7fae1b1868a2)                          neither; Julia 1.12 adds ` at ` and the library
///
/// Behind a row that this package has answered stands the address that it had: `moor at /src/harbour.c:12 (ip: 0x7fae1b1868a2)`.
struct JuliaRow {
    var address: UInt64?
    var printed: PrintedSymbol?
    /// The path of a file without lines.
    var library: String?
    var isInlined = false

    init?(_ row: Span<UInt8>) {
        var text = row.trimmed()
        if text.take("unknown function (ip: ") {
            guard let close = text.firstIndex(of: UInt8(ascii: ")")) else { return nil }
            var number = text.upTo(close)
            // `%p` of nothing.
            guard let value = number.equals("(nil") ? 0 : number.takeAddress() else { return nil }
            address = value
            if let at = text.firstRange(of: ") at ") {
                let file = text.from(at.upperBound).trimmed()
                if !file.hasPrefix("("), file.count > 0 { library = file.text }
            }
            return
        }
        if text.hasSuffix(")"), let mark = text.lastRange(of: " (ip: ") {
            var number = text.clamped(to: mark.upperBound..<text.count - 1)
            guard let value = number.takeAddress(), number.count == 0 else { return nil }
            address = value
            text = text.upTo(mark.lowerBound)
        }
        if text.hasSuffix(" [inlined]") {
            isInlined = true
            text = text.upTo(text.count - " [inlined]".utf8.count)
        }
        guard let at = text.lastRange(of: " at "), at.lowerBound > 0 else { return nil }
        var symbol = PrintedSymbol(name: text.upTo(at.lowerBound).text)
        let file = text.from(at.upperBound)
        if file.hasSuffix(" (unknown line)") {
            library = file.upTo(file.count - " (unknown line)".utf8.count).text
        } else {
            guard let location = SourcePlaceText.read(file) else { return nil }
            symbol.location = location
        }
        printed = symbol
    }
}
