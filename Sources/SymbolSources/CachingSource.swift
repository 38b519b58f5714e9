package import BinaryPrimitives
package import DWARF

/// Remembers results of another source: in many logs of one program most frames have the same addresses, and
/// the addresses of one log are first looked up with the calls around them.
package final class CachingSource: SymbolSource {
    /// Source of the results, without a cache.
    package let source: any SymbolSource
    /// At most 16,384 results of some hundred bytes each.
    private let byOffset = RecentlyUsed<ImageOffset, SymbolResult>(count: 16_384)
    private let byAddress = RecentlyUsed<LinkAddress, SymbolResult>(count: 16_384)
    /// Names that logs print are looked for in the whole symbol table.
    private let byLocation = RecentlyUsed<ImageLocation, LocateResult>(count: 4_096)

    package init(_ source: any SymbolSource) { self.source = source }

    package func frames(at offsets: [ImageOffset]) -> [SymbolResult] { results(offsets, byOffset) { source.frames(at: $0) } }

    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { results(addresses, byAddress) { source.frames(at: $0) } }

    /// The files are not relocatable: an address has one offset.
    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolResult] {
        results(addresses, byAddress) { missing in
            let found = source.frames(at: missing, collecting: calls)
            for (address, result) in zip(missing, found) {
                if let offset = source.offset(of: address) { byOffset.keep(result, for: offset) }
            }
            return found
        }
    }

    package var recordedCallSites: (any RecordedCallSites)? { source.recordedCallSites }

    package func locate(_ locations: [ImageLocation]) -> [LocateResult] { results(locations, byLocation) { source.locate($0) } }

    package func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { source.forEachFunction(body) }

    private func results<Key, Result>(_ keys: [Key], _ cached: RecentlyUsed<Key, Result>, _ lookUp: ([Key]) -> [Result]) -> [Result] {
        var results = cached[keys]
        let missing = keys.indices.filter { results[$0] == nil }
        guard !missing.isEmpty else { return results.compactMap(\.self) }
        for (index, result) in zip(missing, lookUp(missing.map { keys[$0] })) {
            results[index] = result
            cached.keep(result, for: keys[index])
        }
        return results.compactMap(\.self)
    }
}
