package import BinaryPrimitives
package import DWARF

/// Searches several sources of one image in their order: each for the addresses that those before it did not
/// resolve, or resolved without debug information.
package struct LayeredSource: SymbolSource {
    private let sources: [any SymbolSource]

    /// - Parameter sources: the most detailed source comes first.
    package init(_ sources: [any SymbolSource]) { self.sources = sources }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] { results(offsets) { $0.frames(at: $1) } }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { results(addresses) { $0.frames(at: $1) } }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        results(addresses) { $0.frames(at: $1, collecting: calls) }
    }

    package var recordedCallSites: (any RecordedCallSites)? { sources.lazy.compactMap(\.recordedCallSites).first }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] {
        var located = locations.map { _ in LocateResult.unresolved(.needsImageOffset) }
        for source in sources {
            let open = located.indices.filter { if case .unresolved = located[$0] { true } else { false } }
            if open.isEmpty { break }
            for (index, location) in zip(open, source.locate(open.map { locations[$0] })) {
                switch (location, located[index]) {
                case (.found, _), (_, .unresolved(.needsImageOffset)): located[index] = location
                default: break
                }
            }
        }
        return located
    }

    package func offset(of address: LinkAddress) -> ImageOffset? { sources.lazy.compactMap { $0.offset(of: address) }.first }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {
        for source in sources { source.forEachFunction(body) }
    }

    private func results<Key>(_ keys: [Key], _ lookUp: (any SymbolSource, [Key]) -> [SymbolResult]) -> [SymbolResult] {
        var results = [SymbolResult](repeating: .unresolved(.noSymbol), count: keys.count)
        var open = Array(keys.indices)
        for source in sources {
            for (index, result) in zip(open, lookUp(source, open.map { keys[$0] })) { results[index] = result.better(than: results[index]) }
            open.removeAll { results[$0].isComplete }
            if open.isEmpty { break }
        }
        return results
    }
}
