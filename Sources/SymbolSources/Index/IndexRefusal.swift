/// Why no index is made of a file: it is asked directly instead, which always can be.
public struct IndexRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without a full stop.
    public var reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
