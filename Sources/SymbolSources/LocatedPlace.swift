public import BinaryPrimitives

/// Where a place that a log names lies in an image's files.
public enum LocatedPlace: Sendable, Hashable {
    /// At this address; at several where a name stands for several functions. Ascending, never empty.
    case found([LinkAddress])
    case unresolved(Unresolved)
}

extension SymbolSource {
    public func locate(_ places: [ImagePlace]) -> [LocatedPlace] { places.map { _ in .unresolved(.placesAreNotKnown) } }
    public func frames(at addresses: [LinkAddress]) -> [SymbolAnswer] { addresses.map { _ in .unresolved(.placesAreNotKnown) } }
    public func offset(of address: LinkAddress) -> ImageOffset? { nil }
    public func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {}
}
