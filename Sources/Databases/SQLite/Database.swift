internal import CSQLite
internal import Synchronization

/// A connection to a database file (`sqlite3 *`), for one thread at a time.
@safe package final class Database: DatabaseConnection {
    nonisolated(unsafe) let handle: OpaquePointer
    private let kept = Mutex<[String: SQLiteStatement]>([:])
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

    package func forgetStatements() { kept.withLock { $0 = [:] } }

    deinit {
        // Statements that are still referenced keep the connection until they are gone.
        forgetStatements()
        _ = unsafe sqlite3_close_v2(handle)
    }

    /// Error with the connection's message about its last call.
    func failure(_ code: Int32) -> DatabaseError {
        DatabaseError(code: code, message: unsafe String(cString: sqlite3_errmsg(handle)))
    }

    // MARK: Statements

    /// Runs one statement, or several without arguments (`CREATE TABLE …; CREATE INDEX …`).
    package func execute(sql: String, arguments: StatementArguments) throws(DatabaseError) {
        if arguments.values.isEmpty {
            let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
            guard code == SQLITE_OK else { throw failure(code) }
        } else {
            try makeStatement(sql: sql).execute(arguments: arguments)
        }
    }

    package func makeStatement(sql: String) throws(DatabaseError) -> SQLiteStatement { try SQLiteStatement(self, sql) }

    /// A statement that is prepared once for the connection.
    package func cachedStatement(sql: String) throws(DatabaseError) -> SQLiteStatement {
        if let known = kept.withLock({ $0[sql] }) { return known }
        let statement = try SQLiteStatement(self, sql)
        kept.withLock { $0[sql] = statement }
        return statement
    }

    package func hasTable(_ name: String) throws(DatabaseError) -> Bool {
        try count("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", [name]) > 0
    }

    package func load(
        _ table: String, _ columns: [String], _ next: () throws(DatabaseError) -> StatementArguments?
    ) throws(DatabaseError) {
        let placeholders = [String](repeating: "?", count: columns.count).joined(separator: ", ")
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let statement = try makeStatement(sql: "INSERT INTO \"\(table)\" (\(names)) VALUES (\(placeholders))")
        while let row = try next() { try statement.execute(arguments: row) }
    }

    package var isServer: Bool { false }
    package var isAlive: Bool { true }
    package var mainSchema: String { "main" }

    // MARK: Transactions

    package func begin(_ kind: TransactionKind) throws(DatabaseError) {
        // A writer takes the lock at once: two that read first and then write would wait for each
        // other.
        try execute(sql: kind == .reading ? "BEGIN DEFERRED" : "BEGIN IMMEDIATE")
    }

    package func commit() throws(DatabaseError) { try execute(sql: "COMMIT") }

    package func rollBack() {
        // An error such as a full disk has ended the transaction already.
        if unsafe sqlite3_get_autocommit(handle) == 0 { try? execute(sql: "ROLLBACK") }
    }

    // MARK: Tests

    /// Passes on each statement that is run, with its values (`sqlite3_expanded_sql`).
    package func trace(_ notify: @escaping @Sendable (String) -> Void) { trace.withLock { $0 = notify } }

    func note(_ statement: SQLiteStatement) {
        guard let notify = trace.withLock({ $0 }), let text = unsafe sqlite3_expanded_sql(statement.handle) else { return }
        notify(unsafe String(cString: text))
        unsafe sqlite3_free(text)
    }
}

extension DatabaseError {
    /// - Parameter code: a result code (`SQLITE_FULL`, https://www.sqlite.org/rescode.html).
    init(code: Int32, message: String) {
        // The lower eight bits; the others say more of the same.
        let kind: Kind =
            switch code & 0xFF {
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_FULL: .full
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_READONLY: .readOnly
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CORRUPT: .corrupt
            default: .other
            }
        self.init(kind: kind, message: message)
    }
}
