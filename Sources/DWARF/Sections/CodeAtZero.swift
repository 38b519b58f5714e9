internal import BinaryPrimitives
internal import ObjectFiles

/// The functions of an image that has code at address zero: firmware, boot code.
///
/// A linker that removes unused code (`--gc-sections`) leaves its debug information, with the code's size and the address zero. In such an
/// image that looks like live code. The symbol table decides: live code from zero on has the end of a function.
struct CodeAtZero: Sendable {
    /// For each function where it ends at the least and at the most: padding is up to the next symbol. Ascending.
    private var ends: [ClosedRange<UInt64>] = []
    private var hasSymbols = false
    private var beginsAtZero = false

    /// Reads the symbol table: all of it, which firmware's is small enough for.
    init(_ object: ObjectFile) {
        var symbols: [(start: UInt64, size: UInt64, sectionEnd: UInt64)] = []
        try? object.forEachSymbol { symbol in
            hasSymbols = true
            guard let section = object.section(containing: symbol.address), section.isExecutable else { return true }
            // A table of vectors may be there, which is no code.
            if symbol.address.value == 0, symbol.kind != .data { beginsAtZero = true }
            symbols.append((symbol.address.value, symbol.size, section.address.value &+ section.size))
            return symbols.count < Limits.standard.symbolsAtZero
        }
        symbols.sort { $0.start < $1.start }
        var next = UInt64.max
        for (index, symbol) in symbols.enumerated().reversed() {
            if index + 1 < symbols.count, symbols[index + 1].start > symbol.start { next = symbols[index + 1].start }
            let end = symbol.start &+ max(1, symbol.size)
            ends.append(end...max(end, min(next, symbol.sectionEnd)))
        }
        ends.reverse()
    }

    /// Whether code from zero up to an address was removed. Nothing is known without a symbol table.
    func isRemoved(upTo end: UInt64) -> Bool { hasSymbols && !(beginsAtZero && ends.contains { $0.contains(end) }) }
}
