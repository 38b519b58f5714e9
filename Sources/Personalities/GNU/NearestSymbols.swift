internal import BinaryPrimitives
internal import ObjectFiles

/// Finds the symbol that GNU's tools name an address by if no debug information covers it: the nearest one
/// before it in its section, however far, and the source file that a symbol before that names
/// (`_bfd_elf_find_function` of binutils 2.40). Used only for `--strict-compat`, because the name is often
/// another function's.
struct NearestSymbols {
    struct Found {
        var name: String
        var file: String?
    }

    private struct Candidate {
        var symbol: Symbol
        /// The symbol that names its source file, if that can be determined.
        var file: SymbolName?
        /// Symbols without a size count as one byte long.
        var size: UInt64 { max(1, symbol.size) }

        /// Whether it is preferred to a symbol before it in the table that begins at the same address.
        func isBetter(than other: Candidate, at address: UInt64) -> Bool {
            if other.size <= address { return size > other.size }
            if size <= address { return false }
            if symbol.kind != other.symbol.kind { return symbol.kind == .function }
            return size < other.size
        }
    }

    private static let hidden = ["_GLOBAL_OFFSET_TABLE_", "_DYNAMIC"]

    private let object: ObjectFile
    /// Sorted by section, then by address, then in the order of the table.
    private var candidates: [Candidate] = []

    init(_ object: ObjectFile) {
        self.object = object
        var found: [Candidate] = []
        var file: SymbolName?
        var (hasSymbol, isFileBehindSymbol) = (false, false)
        try? object.forEachSymbol { symbol in
            switch symbol.kind {
            case .file:
                file = symbol.name
                if hasSymbol { isFileBehindSymbol = true }
            case .data:
                hasSymbol = true
            case .function, .untyped:
                hasSymbol = true
                // Hidden symbols of linkers, which the tools skip.
                if symbol.kind == .untyped, symbol.binding == .local, Self.hidden.contains(symbol.name.text(in: object)) { return true }
                // Local symbols follow their file's symbol; if there are several files, the file of
                // a global symbol cannot be determined.
                found.append(Candidate(symbol: symbol, file: symbol.binding == .local || !isFileBehindSymbol ? file : nil))
            }
            return true
        }
        let order = found.indices.sorted { left, right in
            let (first, second) = (found[left].symbol, found[right].symbol)
            if first.section != second.section { return first.section < second.section }
            return first.address != second.address ? first.address < second.address : left < right
        }
        candidates = order.map { found[$0] }
    }

    func symbol(at address: LinkAddress) -> Found? {
        guard let section = object.section(containing: address) else { return nil }
        let low = (0..<candidates.count).partitionPoint { index in
            let symbol = candidates[index].symbol
            return !(symbol.section < section.number || (symbol.section == section.number && symbol.address <= address))
        }
        guard low > 0, candidates[low - 1].symbol.section == section.number else { return nil }
        let start = candidates[low - 1].symbol.address
        var first = low - 1
        while first > 0, candidates[first - 1].symbol.section == section.number, candidates[first - 1].symbol.address == start {
            first -= 1
        }
        var best = candidates[first]
        for candidate in candidates[first..<low].dropFirst() where candidate.isBetter(than: best, at: address.value &- start.value) {
            best = candidate
        }
        return Found(name: best.symbol.name.text(in: object), file: best.file?.text(in: object))
    }
}
