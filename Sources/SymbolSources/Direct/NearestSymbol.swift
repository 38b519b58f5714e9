public import BinaryPrimitives
internal import ObjectFiles

/// A symbol of any kind, functions and data alike, as debuggers name an address by it.
public struct NearestSymbol: Sendable, Hashable {
    /// As the table has it; Mach-O's leading underscore is removed.
    public var name: String
    /// Where it begins.
    public var start: ImageOffset
}

extension ObjectSource {
    /// The symbol that GDB names an offset by (`lookup_minimal_symbol_by_pc_section`): the last one that begins at or before it, in the same section, and covers
    /// it; a symbol without a size covers what follows it up to the next one that begins with a size. `nil` where there is none.
    public func nearestSymbol(at offset: ImageOffset) -> NearestSymbol? {
        for object in objects {
            guard case .address(let address) = object.place(of: offset), let section = object.section(containing: address) else {
                continue
            }
            var sized: Symbol?
            var unsized: Symbol?
            try? object.forEachSymbol { symbol in
                guard symbol.kind != .file, symbol.section == section.number, symbol.address <= address else { return true }
                if symbol.size > 0 {
                    if sized.map({ isBetter(symbol, than: $0) }) ?? true { sized = symbol }
                } else if unsized.map({ isBetter(symbol, than: $0) }) ?? true {
                    unsized = symbol
                }
                return true
            }
            if let symbol = sized, let distance = address.distance(from: symbol.address), distance >= symbol.size {
                sized = nil
                // Nothing covers the address but a label that begins after the end of what came before.
                if let label = unsized, label.address <= symbol.address { unsized = nil }
            }
            guard let symbol = sized ?? unsized, let start = object.offset(of: symbol.address) else {
                if let stub = object.stub(containing: address), let start = object.offset(of: stub.address) {
                    return NearestSymbol(name: stub.name, start: start)
                }
                if let function = GoLineSource(object)?.function(at: address), let start = object.offset(of: function.entry) {
                    return NearestSymbol(name: function.name, start: start)
                }
                continue
            }
            let text = symbol.name.text(in: object)
            let name = object.description.container == .machO && text.hasPrefix("_") ? String(text.dropFirst()) : text
            return NearestSymbol(name: name, start: start)
        }
        return nil
    }

    /// Of two that begin at one address, a function before other kinds, and a global one before a local.
    private func isBetter(_ symbol: Symbol, than other: Symbol) -> Bool {
        if symbol.address != other.address { return symbol.address > other.address }
        return rank(symbol) > rank(other)
    }

    private func rank(_ symbol: Symbol) -> Int {
        (symbol.kind == .function ? 4 : symbol.kind == .data ? 2 : 0) + (symbol.binding == .local ? 0 : 1)
    }
}
