internal import BinaryPrimitives
internal import ObjectFiles

/// The addresses that both readers look up.
struct AddressSample {
    /// Ascending, each once.
    private(set) var addresses: [LinkAddress] = []
    /// Number of addresses that are starts of functions.
    private(set) var starts = 0

    /// Contains every function start of the symbol table, the function starts of Mach-O or the debug
    /// information, and random addresses in the code.
    /// - Parameters:
    ///   - symbols: files of the same image that may have symbols.
    ///   - known: the starts in the debug information.
    ///   - interior: the number of random addresses.
    ///   - seed: the same seed gives the same addresses.
    init(of object: ObjectFile, symbols: [ObjectFile] = [], known: [LinkAddress], interior: Int, seed: UInt64) {
        let sections = object.description.sections.filter { $0.isExecutable && $0.isLoaded && $0.size > 0 }
        var chosen = Set(known)
        for file in [object] + symbols {
            chosen.formUnion(file.description.functionStarts)
            // A damaged symbol table gives the symbols before the damage.
            try? file.forEachSymbol { symbol in
                if symbol.kind == .function { chosen.insert(symbol.address) }
                return true
            }
        }
        chosen = chosen.filter { address in sections.contains { $0.contains(address) } }
        starts = chosen.count
        var numbers = SeededNumbers(seed: seed)
        let total = sections.reduce(UInt64(0)) { $0.addingReportingOverflow($1.size).partialValue }
        for _ in 0..<interior where total > 0 {
            var position = UInt64.random(in: 0..<total, using: &numbers)
            for section in sections {
                if position < section.size {
                    if let address = section.address.advanced(by: position) { chosen.insert(address) }
                    break
                }
                position -= section.size
            }
        }
        addresses = chosen.sorted()
    }

    /// Addresses that the user gave.
    init(_ given: [LinkAddress]) { addresses = Set(given).sorted() }
}

/// Random numbers that are the same on every run and every machine (Knuth's 64-bit linear congruential
/// generator).
private struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
