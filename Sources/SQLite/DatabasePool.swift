internal import Synchronization

/// Connections to one database file, which any thread may use: each reading and each transaction
/// has one of its own.
package final class DatabasePool: Sendable {
    private let idle: Mutex<[Database]>
    private let open: @Sendable () throws(DatabaseError) -> Database

    /// - Parameter open: makes a connection; the first at once.
    package init(_ open: @escaping @Sendable () throws(DatabaseError) -> Database) throws(DatabaseError) {
        self.open = open
        idle = Mutex([try open()])
    }

    /// Kept statements refer to their connection, which else would stay open, and with it the files
    /// beside the database.
    deinit { idle.withLock { $0.forEach { $0.forgetStatements() } } }

    package func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try withDatabase { try $0.transaction(.reading, body) }
    }

    /// Writers wait for each other, at most as long as for another process.
    package func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try withDatabase { try $0.transaction(.writing, body) }
    }

    /// Runs `body` on a connection, without a transaction.
    package func withDatabase<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let database = try idle.withLock { $0.popLast() } ?? open()
        defer { idle.withLock { $0.append(database) } }
        return try body(database)
    }
}
