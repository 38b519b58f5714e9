internal import BinaryPrimitives
internal import ObjectFiles

/// Result of the symbol table for one address.
enum SymbolTableResult {
    /// The symbol that names the address; and, where several functions begin where it begins, all
    /// of them in the table's order.
    case symbol(Symbol, rivals: [Symbol])
    /// The symbol table does not name the address.
    case unresolved(Unresolved)
}

/// How one of several symbols at an address is chosen.
package enum SymbolOrder: Sendable {
    /// By `SymbolPreference`, and by the debug information's name.
    case preferred
    /// The last of the table, as LLVM has it.
    case lastOfTable
}

/// Finds the symbols of some addresses in one pass over the table, without sorting it: a table has
/// a hundred thousand symbols, a report a hundred addresses.
struct SymbolTableLookup {
    private let object: ObjectFile
    /// Ascending.
    private let wanted: [LinkAddress]
    private let sorted: SortedAddresses
    private let choice: Choice
    /// For each wanted address the symbol that begins nearest at or before it, among those that
    /// begin after the wanted address before it.
    private var nearest: [Symbol?]
    /// For each wanted address the symbol with a size that covers it and begins nearest before it.
    private var covering: [Symbol?]
    /// All functions that begin where the symbol of `nearest` or `covering` does, where there are
    /// several, in the table's order.
    private var besideNearest: [Int: [Symbol]] = [:]
    private var besideCovering: [Int: [Symbol]] = [:]
    private var extents: FunctionExtents
    /// The gap between two symbols belongs to the first.
    private let isFull: Bool

    /// - Parameter image: the file that `object` was packed into, which has the unwind tables and
    ///   further symbols.
    init(_ object: ObjectFile, wanted: [LinkAddress], packedIn image: ObjectFile? = nil, order: SymbolOrder = .preferred) {
        self.object = object
        choice = Choice(order: order, hasUnderscores: object.description.namesHaveUnderscores)
        isFull = image == nil && object.hasFullSymbolTable
        self.wanted = wanted
        sorted = SortedAddresses(wanted.map(\.value))
        nearest = [Symbol?](repeating: nil, count: wanted.count)
        covering = [Symbol?](repeating: nil, count: wanted.count)
        extents = FunctionExtents(image ?? object)
    }

    /// - Returns: one result for each wanted address. Empty if the table is damaged, which `problem` then
    ///   describes.
    mutating func run() -> (results: [SymbolTableResult], problem: String?) {
        guard !wanted.isEmpty else { return ([], nil) }
        var this = self
        var problem: String?
        do throws(ObjectFileError) {
            try object.file.withBytes { bytes throws(ObjectFileError) in
                try object.forEachSymbol(around: SymbolWindow(sorted)) { symbol in
                    if symbol.kind != .file { this.visit(symbol, bytes) }
                    return true
                }
            }
        } catch {
            problem = error.description
        }
        self = this
        carryOver()
        return (wanted.indices.map { result($0) }, problem)
    }

    private mutating func visit(_ symbol: Symbol, _ bytes: RawSpan) {
        let slot = sorted.firstIndex(notBelow: symbol.address.value)
        guard slot < wanted.count, choice.order == .lastOfTable || !symbol.isLabel(in: bytes) else { return }
        choice.update(with: symbol, bytes, &nearest[slot], &besideNearest, slot)
        guard symbol.size > 0 else { return }
        var index = slot
        while index < wanted.count, let distance = wanted[index].distance(from: symbol.address), distance < symbol.size {
            choice.update(with: symbol, bytes, &covering[index], &besideCovering, index)
            index += 1
        }
    }

    /// Which of two symbols an address resolves to. Not a method of the lookup: a call of one would
    /// hold the arrays while it changes them, and each change would copy them whole.
    private struct Choice {
        let order: SymbolOrder
        let hasUnderscores: Bool

        /// Keeps the best symbol for a slot: of several the one that begins last; of several at one address the
        /// better one.
        func update(with symbol: Symbol, _ bytes: RawSpan, _ best: inout Symbol?, _ beside: inout [Int: [Symbol]], _ slot: Int) {
            guard let known = best, known.address >= symbol.address else {
                best = symbol
                if !beside.isEmpty { beside[slot] = nil }
                return
            }
            guard known.address == symbol.address else { return }
            if order == .lastOfTable {
                // LLVM: the largest, and of equal ones the last, because compilers write the
                // versioned and weak names first.
                if known.size <= symbol.size { best = symbol }
                return
            }
            if SymbolPreference(known, in: bytes, hasUnderscores: hasUnderscores)
                <= SymbolPreference(symbol, in: bytes, hasUnderscores: hasUnderscores)
            {
                best = symbol
            }
            guard symbol.kind == .function, !symbol.isIndirect else { return }
            let functions = beside[slot] ?? (known.kind == .function && !known.isIndirect ? [known] : [])
            if functions.count < SharedCode.maxFunctions { beside[slot] = functions + [symbol] }
        }
    }

    /// Copies the nearest symbol of an earlier wanted address to later ones that have no symbol in between.
    private mutating func carryOver() {
        for index in wanted.indices.dropFirst() where nearest[index] == nil {
            nearest[index] = nearest[index - 1]
            besideNearest[index] = besideNearest[index - 1]
        }
    }

    /// Result for one wanted address. A symbol's extent is its size; else the function around it that the
    /// function starts or the unwind tables give; else the bytes up to the next symbol of its section: in a
    /// full table all of them, in another table those before the next function of the unwind tables. An address
    /// outside all of them is not given the nearest name.
    private mutating func result(_ index: Int) -> SymbolTableResult {
        let address = wanted[index]
        guard let symbol = nearest[index] else { return covering(index) ?? .unresolved(.noSymbol) }
        let found = SymbolTableResult.symbol(symbol, rivals: rivals(of: symbol, besideNearest[index]))
        if symbol.size > 0 {
            guard let distance = address.distance(from: symbol.address), distance < symbol.size else {
                return covering(index) ?? .unresolved(.betweenSymbols)
            }
            return found
        }
        // Labels inside of a function (assembly, RISC-V's `.L0`) have no size; the function around
        // them has.
        if let known = covering(index) { return known }
        if let extent = extents.extent(containing: address) {
            return extent.contains(symbol.address) ? found : .unresolved(.betweenSymbols)
        }
        guard let section = object.section(containing: address), section.number == symbol.section else {
            return .unresolved(.betweenSymbols)
        }
        guard symbol.address != address else { return found }
        // PE's symbols have no sizes. Functions without an entry in the function table call nothing: they are short.
        if isFull, choice.order == .preferred, object.description.exceptionDirectory != nil,
            extents.hasFunction(from: symbol.address, through: address) == true
        {
            return .unresolved(.betweenSymbols)
        }
        guard !isFull else { return found }
        guard choice.order == .preferred, let hasOther = extents.hasFunction(from: symbol.address, through: address) else {
            return .unresolved(.unboundedSymbol)
        }
        return hasOther ? .unresolved(.betweenSymbols) : found
    }

    private func covering(_ index: Int) -> SymbolTableResult? {
        covering[index].map { .symbol($0, rivals: rivals(of: $0, besideCovering[index])) }
    }

    /// One code has one size.
    private func rivals(of symbol: Symbol, _ beside: [Symbol]?) -> [Symbol] {
        let functions = beside?.filter { $0.size == symbol.size } ?? []
        return functions.count > 1 ? functions : []
    }
}
