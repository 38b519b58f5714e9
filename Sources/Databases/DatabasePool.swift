internal import Synchronization

/// Connections to one database, which any thread may use: each reading and each transaction
/// has one of its own.
package final class DatabasePool: Sendable {
    private let idle: Mutex<[any DatabaseConnection]>
    private let open: @Sendable () throws(DatabaseError) -> any DatabaseConnection

    /// - Parameter open: makes a connection; the first at once.
    package init(_ open: @escaping @Sendable () throws(DatabaseError) -> any DatabaseConnection) throws(DatabaseError) {
        self.open = open
        idle = Mutex([try open()])
    }

    /// Kept statements refer to their connection, which else would stay open, and with it the files
    /// beside the database.
    deinit { idle.withLock { $0.forEach { $0.forgetStatements() } } }

    package func read<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        try withDatabase { try Self.run(.reading, $0, body) }
    }

    /// Writers of a file wait for each other, at most as long as for another process.
    package func write<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        try withDatabase { try Self.run(.writing, $0, body) }
    }

    /// While no other writer is at work.
    package func writeAlone<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        try withDatabase { try Self.run(.alone, $0, body) }
    }

    private static func run<Value>(
        _ kind: TransactionKind, _ database: any DatabaseConnection, _ body: (any DatabaseConnection) throws -> Value
    ) throws -> Value {
        try database.transaction(kind) { try body($0) }
    }

    /// Runs `body` on a connection, without a transaction.
    package func withDatabase<Value>(_ body: (any DatabaseConnection) throws -> Value) throws -> Value {
        let database = try idle.withLock { $0.popLast() } ?? open()
        defer {
            idle.withLock { idle in
                // The others lead to the same server.
                if database.isAlive { idle.append(database) } else { idle.removeAll() }
            }
        }
        return try body(database)
    }
}
