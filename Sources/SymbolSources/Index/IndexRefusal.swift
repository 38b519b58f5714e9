/// Why no index is made of a file. The file is then searched directly, which is always possible.
package struct IndexRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence without a full stop.
    package var reason: String

    init(_ reason: String) { self.reason = reason }

    package var description: String { reason }
}
