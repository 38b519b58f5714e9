internal import BinaryPrimitives
internal import ObjectFiles

/// Finds the symbol that elfutils names an address by (`dwfl_module_addrinfo` of 0.188): of the symbols whose
/// size covers it, the one that begins last; else the last symbol without a size before it in its section,
/// unless another symbol ends in between. Local symbols are used if the others give no name.
struct EnclosingSymbols {
    struct Found {
        var name: String
        var offset: UInt64
    }

    /// Symbols sorted by address, then in the order of the table.
    private struct Table {
        var symbols: [Symbol] = []
        /// For each symbol, the highest end of it and all earlier ones.
        private var ends: [UInt64] = []

        init(_ unsorted: [Symbol]) {
            let order = unsorted.indices.sorted { (unsorted[$0].address, $0) < (unsorted[$1].address, $1) }
            symbols = order.map { unsorted[$0] }
            var end: UInt64 = 0
            for symbol in symbols {
                let (own, isTooLarge) = symbol.address.value.addingReportingOverflow(symbol.size)
                end = max(end, isTooLarge ? .max : own)
                ends.append(end)
            }
        }

        /// Number of symbols that begin at the address or before it.
        func count(upTo address: LinkAddress) -> Int {
            symbols.partitionPoint { $0.address > address }
        }

        /// Returns the highest end of the first symbols.
        func end(ofFirst count: Int) -> UInt64 { count > 0 ? ends[count - 1] : 0 }

        func covering(_ address: LinkAddress) -> Symbol? {
            var best: Symbol?
            var index = count(upTo: address)
            while index > 0, ends[index - 1] > address.value {
                index -= 1
                let symbol = symbols[index]
                if let best, symbol.address < best.address { break }
                guard address.value - symbol.address.value < symbol.size else { continue }
                if best.map({ symbol.isPreferred(to: $0) }) ?? true { best = symbol }
            }
            return best
        }

        /// Returns the last symbol without a size, not before `floor`.
        func label(at address: LinkAddress, floor: UInt64, in sections: [Int]) -> Symbol? {
            var index = count(upTo: address)
            while index > 0, symbols[index - 1].address.value >= floor {
                index -= 1
                let symbol = symbols[index]
                if symbol.size == 0, symbol.address == address || sections.contains(symbol.section) { return symbol }
            }
            return nil
        }
    }

    private let object: ObjectFile
    private let known: Table
    private let local: Table

    init(_ object: ObjectFile) {
        self.object = object
        var (known, local): ([Symbol], [Symbol]) = ([], [])
        try? object.forEachSymbol { symbol in
            if symbol.kind != .file { if symbol.binding == .local { local.append(symbol) } else { known.append(symbol) } }
            return true
        }
        self.known = Table(known)
        self.local = Table(local)
    }

    func symbol(at address: LinkAddress) -> Found? {
        if let symbol = known.covering(address) { return found(symbol, address) }
        // The end of a section counts as part of it: line tables have its address.
        let sections = object.description.sections.filter { section in
            section.isLoaded && (address.distance(from: section.address).map { $0 <= section.size } ?? false)
        }.map(\.number)
        let floor = known.end(ofFirst: known.count(upTo: address))
        let label = known.label(at: address, floor: floor, in: sections)
        if let label, label.address == address { return found(label, address) }
        if let symbol = local.covering(address) { return found(symbol, address) }
        let localFloor = max(floor, local.end(ofFirst: local.count(upTo: address)))
        let other = local.label(at: address, floor: localFloor, in: sections)
        let labels = [label, other].compactMap { $0 }.filter { $0.address.value >= localFloor }
        return labels.max { $0.address < $1.address }.map { found($0, address) }
    }

    private func found(_ symbol: Symbol, _ address: LinkAddress) -> Found {
        Found(name: symbol.name.text(in: object), offset: address.value - symbol.address.value)
    }

    /// Returns the address and the size of the first symbol with a name.
    func extent(of name: Span<UInt8>) -> (address: LinkAddress, size: UInt64)? {
        for table in [local, known] {
            for symbol in table.symbols where name.equals(symbol.name.text(in: object)) { return (symbol.address, symbol.size) }
        }
        return nil
    }
}

extension Symbol {
    /// Whether this symbol is preferred to another one with the same address: the global one, then the
    /// shorter, then the one that comes first in the table. The search runs from the end.
    fileprivate func isPreferred(to other: Symbol) -> Bool {
        let isGlobal = (binding == .global, other.binding == .global)
        return isGlobal.0 != isGlobal.1 ? isGlobal.0 : size <= other.size
    }
}
