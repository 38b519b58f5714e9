internal import CSQLite
internal import Synchronization

/// A connection to a database file (`sqlite3 *`), for one thread at a time.
@safe package final class Database: Sendable {
    nonisolated(unsafe) let handle: OpaquePointer
    private let kept = Mutex<[String: Statement]>([:])
    private let trace = Mutex<(@Sendable (String) -> Void)?>(nil)

    package enum Access: Sendable {
        /// An existing file, or a new one.
        case readWrite
        case readOnly
    }

    /// How long another process's lock is waited for, in milliseconds.
    private static let patience: Int32 = 10_000

    /// - Parameter path: a file's path; or a URI (`file:/srv/crashes.sqlite?immutable=1`,
    ///   https://www.sqlite.org/uri.html).
    package init(path: String, _ access: Access = .readWrite) throws(DatabaseError) {
        var opened: OpaquePointer?
        let flags = access == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nil)
        guard let connection = unsafe opened else { throw DatabaseError(code: code, message: "no memory") }
        unsafe handle = connection
        guard code == SQLITE_OK else { throw failure(code) }
        _ = unsafe sqlite3_busy_timeout(handle, Self.patience)
    }

    func forgetStatements() { kept.withLock { $0 = [:] } }

    deinit {
        // Statements that are still referenced keep the connection until they are gone.
        forgetStatements()
        _ = unsafe sqlite3_close_v2(handle)
    }

    /// What the connection says of its last call.
    func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(code: code, message: unsafe String(cString: sqlite3_errmsg(handle)))
    }

    // MARK: Statements

    /// Runs one statement, or several without arguments (`CREATE TABLE …; CREATE INDEX …`).
    package func execute(sql: String, arguments: StatementArguments = []) throws(DatabaseError) {
        if arguments.values.isEmpty {
            let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
            guard code == SQLITE_OK else { throw failure(code) }
        } else {
            try makeStatement(sql: sql).execute(arguments: arguments)
        }
    }

    package func makeStatement(sql: String) throws(DatabaseError) -> Statement { try Statement(self, sql) }

    /// A statement that is prepared once for the connection.
    package func cachedStatement(sql: String) throws(DatabaseError) -> Statement {
        if let known = kept.withLock({ $0[sql] }) { return known }
        let statement = try Statement(self, sql)
        kept.withLock { $0[sql] = statement }
        return statement
    }

    /// `sqlite3_last_insert_rowid`.
    package var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

    /// Runs `body` in a transaction: all that it writes is kept, or nothing.
    package func transaction<Value>(_ kind: Transaction, _ body: (Database) throws -> Value) throws -> Value {
        try execute(sql: "BEGIN \(kind.rawValue)")
        do {
            let value = try body(self)
            try execute(sql: "COMMIT")
            return value
        } catch {
            // An error such as a full disk has ended the transaction already.
            if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute(sql: "ROLLBACK") }
            throw error
        }
    }

    package enum Transaction: String, Sendable {
        /// One state of the data for all statements of a reader.
        case reading = "DEFERRED"
        /// The lock is taken at once: two that read first and then write would wait for each other.
        case writing = "IMMEDIATE"
    }

    // MARK: Tests

    /// Passes on each statement that is run, with its values (`sqlite3_expanded_sql`).
    package func trace(_ notify: @escaping @Sendable (String) -> Void) { trace.withLock { $0 = notify } }

    func note(_ statement: Statement) {
        guard let notify = trace.withLock({ $0 }), let text = unsafe sqlite3_expanded_sql(statement.handle) else { return }
        notify(unsafe String(cString: text))
        unsafe sqlite3_free(text)
    }
}

/// What SQLite refused, and why.
package struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The primary result code (`SQLITE_FULL`, https://www.sqlite.org/rescode.html).
    package let kind: Kind
    package let message: String

    package enum Kind: Sendable, Hashable { case notADatabase, full, cannotOpen, readOnly, busy, corrupt, other }

    init(code: Int32, message: String) {
        self.message = message
        // The lower eight bits; the others say more of the same.
        kind =
            switch code & 0xFF {
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_FULL: .full
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_READONLY: .readOnly
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CORRUPT: .corrupt
            default: .other
            }
    }

    package var description: String { message }
}
