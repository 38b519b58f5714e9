internal import BinaryPrimitives
internal import ObjectFiles

/// Results of one file's symbol tables for some addresses: its own table, and the one that may be packed in it
/// (MiniDebugInfo), which names stripped functions.
struct SymbolNames: Sendable {
    /// A symbol with the file that has its name.
    struct Found: Sendable {
        var symbol: Symbol
        /// All functions that begin where it begins, in the table's order; empty where there is
        /// one.
        var rivals: [Symbol] = []
        var object: ObjectFile

        /// The name as reports show it before demangling.
        var name: String { name(of: symbol) }

        func name(of symbol: Symbol) -> String { object.sourceName(symbol.name.text(in: object)) }
    }

    /// How a table is damaged. Symbols that were not found may be in the damaged part.
    private(set) var problem: String?
    private var results: [Result]

    enum Result: Sendable {
        case found(Found)
        /// The symbol table has no name, and the dynamic linker's tables have one (`LinkedNames`).
        case linked(LinkedName)
        case unresolved(Unresolved)
    }

    /// - Parameter wanted: ascending.
    init(_ object: ObjectFile, wanted: [LinkAddress], order: SymbolOrder = .preferred) {
        results = wanted.map { _ in .unresolved(.noSymbol) }
        var lookup = SymbolTableLookup(object, wanted: wanted, order: order)
        merge(lookup.run(), object)
        guard !object.hasFullSymbolTable else { return }
        do throws(ObjectFileError) {
            guard let packed = try object.miniDebugInformation() else { return }
            var lookup = SymbolTableLookup(packed, wanted: wanted, packedIn: object, order: order)
            merge(lookup.run(), packed)
        } catch {
            problem = problem ?? error.description
        }
    }

    subscript(index: Int) -> Result { results[index] }

    private mutating func merge(_ run: (results: [SymbolTableResult], problem: String?), _ object: ObjectFile) {
        problem = problem ?? run.problem
        for (index, result) in run.results.enumerated() {
            switch (result, results[index]) {
            case (.symbol(let symbol, _), .found(let before)) where symbol.address <= before.symbol.address: break
            case (.symbol(let symbol, let rivals), _):
                results[index] = .found(Found(symbol: symbol, rivals: rivals, object: object))
            case (.unresolved(let reason), .unresolved(.noSymbol)): results[index] = .unresolved(reason)
            case (.unresolved, _): break
            }
        }
    }
}
