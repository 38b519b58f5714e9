package import BinaryPrimitives
package import DWARF

/// Remembers results of another source: in many logs of one program most frames have the same addresses, and
/// the addresses of one log are first looked up with the calls around them.
package final class CachingSource: SymbolSource {
    /// Source of the results, without a cache.
    package let source: any SymbolSource
    /// At most 16,384 results of some hundred bytes each.
    private let byOffset = RecentlyUsed<ImageOffset, SymbolAnswer>(count: 16_384)
    private let byAddress = RecentlyUsed<LinkAddress, SymbolAnswer>(count: 16_384)

    package init(_ source: any SymbolSource) { self.source = source }

    package func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] { answers(offsets, byOffset) { source.frames(at: $0) } }

    package func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { answers(addresses, byAddress) { source.frames(at: $0) } }

    /// The files are not relocatable: an address has one offset.
    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolAnswer] {
        answers(addresses, byAddress) { missing in
            let found = source.frames(at: missing, collecting: calls)
            for (address, answer) in zip(missing, found) {
                if let offset = source.offset(of: address) { byOffset.keep(answer, for: offset) }
            }
            return found
        }
    }

    package var recordedCallSites: (any RecordedCallSites)? { source.recordedCallSites }

    package func locate(_ places: [ImagePlace]) -> [LocatedPlace] { source.locate(places) }

    package func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { source.forEachFunction(body) }

    private func answers<Place>(
        _ places: [Place], _ known: RecentlyUsed<Place, SymbolAnswer>, _ lookUp: ([Place]) -> [SymbolAnswer]
    ) -> [SymbolAnswer] {
        var answers = known[places]
        let missing = places.indices.filter { answers[$0] == nil }
        guard !missing.isEmpty else { return answers.compactMap(\.self) }
        let found = lookUp(missing.map { places[$0] })
        for (index, answer) in zip(missing, found) {
            answers[index] = answer
            known.keep(answer, for: places[index])
        }
        return answers.map { $0 ?? .unresolved(.noAnswer) }
    }
}
