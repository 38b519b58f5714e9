package import BinaryPrimitives
internal import ObjectFiles

/// A symbol of any kind that holds an address.
package struct CoveringSymbol: Sendable, Hashable {
    /// As the table has it; Mach-O's leading underscore is removed.
    package var name: String
    package var start: LinkAddress
    /// Bytes; zero where the table does not give it. The symbol then holds its first address alone.
    package var size: UInt64
}

extension ObjectSource {
    /// The symbol that holds an address: of several the one that begins last, of those the largest. A symbol
    /// without a size, as always in Mach-O and PE, reaches to the next symbol of its section.
    /// - Parameter ignoresMemoryTags: the upper byte of a symbol's address is a memory tag (AArch64's memory tagging of
    ///   global variables), and not a part of its address.
    package func symbol(containing address: LinkAddress, ignoresMemoryTags: Bool = false) -> CoveringSymbol? {
        for object in objects {
            guard let section = object.section(containing: address) else { continue }
            var best: Symbol?
            var next: LinkAddress?
            try? object.forEachSymbol { symbol in
                var symbol = symbol
                if ignoresMemoryTags { symbol.address = symbol.address.untagged }
                guard symbol.kind != .file, symbol.section == section.number else { return true }
                if symbol.address > address {
                    if next.map({ symbol.address < $0 }) ?? true { next = symbol.address }
                } else if best.map({ ($0.address, $0.size) <= (symbol.address, symbol.size) }) ?? true {
                    best = symbol
                }
                return true
            }
            guard var best, let distance = address.distance(from: best.address) else { continue }
            if best.size == 0, object.description.symbolsReachToTheNext {
                let end = next ?? section.address.advanced(by: section.size) ?? best.address
                best.size = end.distance(from: best.address) ?? 0
            }
            guard distance < max(1, best.size) else { continue }
            return CoveringSymbol(name: object.sourceName(best.name.text(in: object)), start: best.address, size: best.size)
        }
        return nil
    }
}

extension LinkAddress {
    /// With the seven bits above the sign bit of a 56-bit address like that bit: kernels' addresses
    /// keep theirs.
    fileprivate var untagged: LinkAddress { LinkAddress(UInt64(bitPattern: Int64(bitPattern: value << 8) >> 8)) }
}
