package import BinaryPrimitives
internal import Synchronization

/// A source that remembers its results: of many logs of one program most frames are at the same
/// places.
package final class CachingSource: SymbolSource {
    /// Where results come from; it remembers none.
    package let source: any SymbolSource
    private let known = Mutex<[ImageOffset: SymbolAnswer]>([:])

    /// Results that are kept (of some hundred bytes each); with more, all are forgotten, and what
    /// is requested again is soon there again.
    private static let limit = 16_384

    package init(_ source: any SymbolSource) { self.source = source }

    package func frames(at offsets: [ImageOffset]) -> [SymbolAnswer] {
        var answers: [SymbolAnswer?] = known.withLock { known in offsets.map { known[$0] } }
        let missing = offsets.indices.filter { answers[$0] == nil }
        guard !missing.isEmpty else { return answers.compactMap(\.self) }
        let found = source.frames(at: missing.map { offsets[$0] })
        known.withLock { known in
            if known.count + missing.count > Self.limit { known.removeAll(keepingCapacity: true) }
            for (index, answer) in zip(missing, found) {
                answers[index] = answer
                if known.count < Self.limit { known[offsets[index]] = answer }
            }
        }
        return answers.map { $0 ?? .unresolved(.noAnswer) }
    }

    package func locate(_ places: [ImagePlace]) -> [LocatedPlace] { source.locate(places) }

    package func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { source.frames(at: addresses) }

    package func offset(of address: LinkAddress) -> ImageOffset? { source.offset(of: address) }

    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) { source.forEachFunction(body) }
}
