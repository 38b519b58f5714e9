/// Error of a database, with its kind and message.
package struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    package let kind: Kind
    /// The database's own message, on one line.
    package let message: String

    package enum Kind: Sendable, Hashable {
        case notADatabase, full, cannotOpen, readOnly, busy, corrupt
        /// A server that is not there, or has gone away: it may come back.
        case unavailable
        /// Two writers got in each other's way, and this one was chosen to begin again.
        case conflict
        case other
    }

    package init(kind: Kind, message: String) {
        self.kind = kind
        self.message = message
    }

    package var description: String { message }
}
