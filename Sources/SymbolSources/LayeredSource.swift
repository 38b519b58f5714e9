package import BinaryPrimitives
package import DWARF

/// Searches several sources of one image in their order: each for the addresses that those before it did not
/// resolve, or resolved without debug information.
package struct LayeredSource: SymbolSource {
    private let sources: [any SymbolSource]

    /// - Parameter sources: the most detailed source comes first.
    package init(_ sources: [any SymbolSource]) { self.sources = sources }

    package func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] { answers(offsets) { $0.frames(at: $1) } }

    package func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { answers(addresses) { $0.frames(at: $1) } }

    package func frames(at addresses: [LinkAddress], collecting calls: CollectedCallSites?) -> [SymbolAnswer] {
        answers(addresses) { $0.frames(at: $1, collecting: calls) }
    }

    package var recordedCallSites: (any RecordedCallSites)? { sources.lazy.compactMap(\.recordedCallSites).first }

    package func locate(_ places: [ImagePlace]) -> [LocatedPlace] {
        var located = places.map { _ in LocatedPlace.unresolved(.placesAreNotKnown) }
        for source in sources {
            let open = located.indices.filter { if case .unresolved = located[$0] { true } else { false } }
            if open.isEmpty { break }
            for (index, place) in zip(open, source.locate(open.map { places[$0] })) {
                switch (place, located[index]) {
                case (.found, _), (_, .unresolved(.placesAreNotKnown)): located[index] = place
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

    private func answers<Place>(_ places: [Place], _ ask: (any SymbolSource, [Place]) -> [SymbolAnswer]) -> [SymbolAnswer] {
        var answers = [SymbolAnswer](repeating: .unresolved(.noSymbol), count: places.count)
        var open = Array(places.indices)
        for source in sources {
            for (index, answer) in zip(open, ask(source, open.map { places[$0] })) { answers[index] = answer.better(than: answers[index]) }
            open.removeAll { answers[$0].isComplete }
            if open.isEmpty { break }
        }
        return answers
    }
}
