internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolSources

/// Finds the symbol that llvm-symbolizer names an address by: the last one that begins at or before it, even
/// far before it if its size is not given; and the source file that a symbol before a local one names
/// (`SymbolizableObjectFile` of LLVM 19). Used only for `--strict-compat`, because the name is often another
/// function's.
struct NearestLLVMSymbols: Sendable {
    struct Found {
        var name: String
        var start: UInt64
        var size: UInt64
        var file: String?

        /// Sets the outermost frame's name and start to the symbol's, and its file if it has none.
        func complete(_ frame: inout PrintedFrame, _ names: inout PrintedNames, withName: Bool) {
            if withName { frame.name = names.add(names.text(name)) }
            if frame.file == nil, let file { frame.file = names.add(file) }
        }
    }

    private struct Candidate {
        var symbol: Symbol
        var file: SymbolName?
    }

    private let object: ObjectFile
    /// Sorted by address, then by size, then in the order of the table.
    private var candidates: [Candidate] = []

    init(_ object: ObjectFile) {
        self.object = object
        var found: [Candidate] = []
        var file: SymbolName?
        try? object.forEachSymbol { symbol in
            if symbol.kind == .file {
                file = symbol.name
            } else {
                found.append(Candidate(symbol: symbol, file: symbol.binding == .local ? file : nil))
            }
            return true
        }
        let order = found.indices.sorted { left, right in
            let (first, second) = (found[left].symbol, found[right].symbol)
            return (first.address, first.size, left) < (second.address, second.size, right)
        }
        candidates = order.map { found[$0] }
    }

    func symbol(at address: LinkAddress) -> Found? {
        let low = candidates.partitionPoint { $0.symbol.address > address }
        guard low > 0 else { return nil }
        let best = candidates[low - 1]
        guard let distance = address.distance(from: best.symbol.address), best.symbol.size == 0 || distance < best.symbol.size else {
            return nil
        }
        return Found(
            name: object.sourceName(best.symbol.name.text(in: object)), start: best.symbol.address.value, size: best.symbol.size,
            file: best.file?.text(in: object))
    }
}
