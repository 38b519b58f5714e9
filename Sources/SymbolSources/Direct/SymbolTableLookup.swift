internal import BinaryPrimitives
internal import ObjectFiles

/// What the symbol table says about one address.
enum SymbolTableAnswer {
    case symbol(Symbol)
    /// The table has none; what the dynamic linker reads has.
    case unresolved(Unresolved)
}

/// Finds the symbols of some addresses in one pass over the table, without sorting it: a table has a hundred thousand symbols, a report a hundred addresses.
struct SymbolTableLookup {
    private let object: ObjectFile
    /// Ascending.
    private let wanted: [LinkAddress]
    private let sorted: SortedAddresses
    /// For each wanted address the symbol that begins nearest at or before it, among those that begin after the wanted address before it.
    private var nearest: [Symbol?]
    /// For each wanted address the symbol with a size that covers it and begins nearest before it.
    private var covering: [Symbol?]
    private var extents: FunctionExtents
    /// The gap between two symbols belongs to the first.
    private let isFull: Bool

    /// - Parameter image: the file that `object` was packed into, which has the unwind tables and further symbols.
    init(_ object: ObjectFile, wanted: [LinkAddress], packedIn image: ObjectFile? = nil) {
        self.object = object
        isFull = image == nil && object.hasFullSymbolTable
        self.wanted = wanted
        sorted = SortedAddresses(wanted.map(\.value))
        nearest = [Symbol?](repeating: nil, count: wanted.count)
        covering = [Symbol?](repeating: nil, count: wanted.count)
        extents = FunctionExtents(image ?? object)
    }

    /// - Returns: one answer for each wanted address. Empty if the table is damaged: `problem` then says how.
    mutating func run() -> (answers: [SymbolTableAnswer], problem: String?) {
        guard !wanted.isEmpty else { return ([], nil) }
        var this = self
        var problem: String?
        do throws(ObjectFileError) {
            try object.forEachSymbol(around: SymbolWindow(first: wanted[0], last: wanted[wanted.count - 1])) { symbol in
                if symbol.kind != .file { this.take(symbol) }
                return true
            }
        } catch {
            problem = error.description
        }
        self = this
        carryOver()
        return (wanted.indices.map { answer($0) }, problem)
    }

    private mutating func take(_ symbol: Symbol) {
        let slot = sorted.firstIndex(notBelow: symbol.address.value)
        if slot < wanted.count {
            if isBetter(symbol, than: nearest[slot]) { nearest[slot] = symbol }
            if symbol.size > 0 {
                var index = slot
                while index < wanted.count, let distance = wanted[index].distance(from: symbol.address), distance < symbol.size {
                    if isBetter(symbol, than: covering[index]) { covering[index] = symbol }
                    index += 1
                }
            }
        }
    }

    /// Of several symbols the one that begins last; of several at one address the largest, and of equal ones the last of the table, as LLVM has it:
    /// compilers write the versioned and weak names first.
    private func isBetter(_ symbol: Symbol, than other: Symbol?) -> Bool {
        guard let other else { return true }
        return (other.address, other.size) <= (symbol.address, symbol.size)
    }

    /// A symbol that begins before an earlier wanted address is also the nearest of a later one that has none between.
    private mutating func carryOver() {
        for index in wanted.indices.dropFirst() where nearest[index] == nil { nearest[index] = nearest[index - 1] }
    }

    /// A symbol's extent is its size; else the function around it that the function starts or the unwind tables tell; else, in a full table, what lies up to the
    /// next symbol of its section. An address outside all of them is not given the nearest name.
    private mutating func answer(_ index: Int) -> SymbolTableAnswer {
        let address = wanted[index]
        guard let symbol = nearest[index] else {
            return covering[index].map { .symbol($0) } ?? .unresolved(.noSymbol)
        }
        if symbol.size > 0 {
            guard let distance = address.distance(from: symbol.address), distance < symbol.size else {
                return covering[index].map { .symbol($0) } ?? .unresolved(.betweenSymbols)
            }
            return .symbol(symbol)
        }
        // Labels inside of a function (assembly, RISC-V's `.L0`) have no size; the function around them has.
        if let known = covering[index] { return .symbol(known) }
        if let extent = extents.extent(containing: address) {
            return extent.contains(symbol.address) ? .symbol(symbol) : .unresolved(.betweenSymbols)
        }
        guard let section = object.section(containing: address), section.number == symbol.section else {
            return .unresolved(.betweenSymbols)
        }
        guard isFull else { return .unresolved(.unboundedSymbol) }
        return .symbol(symbol)
    }
}
