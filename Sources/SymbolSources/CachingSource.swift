package import BinaryPrimitives

/// A source that remembers its results: of many logs of one program most frames are at the same
/// places.
package final class CachingSource: SymbolSource {
    /// Where results come from; it remembers none.
    package let source: any SymbolSource
    /// At most 16,384 results of some hundred bytes each.
    private let known = RecentlyUsed<ImageOffset, SymbolAnswer>(count: 16_384)

    package init(_ source: any SymbolSource) { self.source = source }

    package func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
        var answers = known[offsets]
        let missing = offsets.indices.filter { answers[$0] == nil }
        guard !missing.isEmpty else { return answers.compactMap(\.self) }
        let found = source.frames(at: missing.map { offsets[$0] })
        for (index, answer) in zip(missing, found) {
            answers[index] = answer
            known.keep(answer, for: offsets[index])
        }
        return answers.map { $0 ?? .unresolved(.noAnswer) }
    }

    package func locate(_ places: [ImagePlace]) -> [LocatedPlace] { source.locate(places) }

    package func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { source.frames(at: addresses) }

    package func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { source.forEachFunction(body) }
}
