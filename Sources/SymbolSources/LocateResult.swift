package import BinaryPrimitives

/// Link addresses of a position that a log names, in an image's files.
package enum LocateResult: Sendable, Hashable {
    /// At this address; at several where a name means several functions. Ascending, never empty.
    case found([LinkAddress])
    case unresolved(Unresolved)
}

extension SymbolSource {
    package func locate(_ places: [ImageLocation]) -> [LocateResult] { places.map { _ in .unresolved(.needsImageOffset) } }
    package func frames(at addresses: [LinkAddress]) -> [SymbolResult] { addresses.map { _ in .unresolved(.needsImageOffset) } }
    package func offset(of address: LinkAddress) -> ImageOffset? { nil }
    package func forEachFunction(_ body: (_ name: String, _ extent: Range<LinkAddress>) -> Void) {}
}
