/// A connection to a database, for one thread at a time. SQL is SQLite's dialect, which every
/// database here understands (`ServerText` has the differences).
package protocol DatabaseConnection: AnyObject, Sendable {
    associatedtype Statement: PreparedStatement

    /// Whether the database is a server's, which many programs write to at once.
    var isServer: Bool { get }

    /// Whether it can be used again.
    var isAlive: Bool { get }

    /// The tables' own name space: `main` in `main.reports`. Temporary tables hide others without
    /// it.
    var mainSchema: String { get }

    /// Runs one statement, or several without arguments (`CREATE TABLE …; CREATE INDEX …`).
    func execute(sql: String, arguments: StatementArguments) throws(DatabaseError)

    func makeStatement(sql: String) throws(DatabaseError) -> Statement

    /// A statement that is prepared once for the connection.
    func cachedStatement(sql: String) throws(DatabaseError) -> Statement

    func forgetStatements()

    func hasTable(_ name: String) throws(DatabaseError) -> Bool

    /// Adds rows to a table, in the quickest way.
    /// - Parameter next: the next row's values; `nil` after the last.
    func load(
        _ table: String, _ columns: [String], _ next: () throws(DatabaseError) -> StatementArguments?
    ) throws(DatabaseError)

    func begin(_ kind: TransactionKind) throws(DatabaseError)
    func commit() throws(DatabaseError)
    /// Ends a transaction that has failed, if it has not ended already.
    func rollBack()
}

package enum TransactionKind: Sendable {
    /// One state of the data for all statements of a reader.
    case reading
    /// Writers of a file wait for each other; those of a server write beside each other.
    case writing
    /// No other writer is at work meanwhile.
    case alone
}

/// A prepared statement, for one thread at a time.
package protocol PreparedStatement: AnyObject, Sendable {
    var columnCount: Int32 { get }

    /// The columns of its rows, by name.
    var columns: [String: Int32] { get }

    /// - Parameter isLarge: the result may not fit into memory: a server sends it part by part.
    func begin(_ arguments: StatementArguments, isLarge: Bool) throws(DatabaseError)

    /// - Returns: whether there is a row.
    func step() throws(DatabaseError) -> Bool

    func reset()

    /// The value in a column of the row that the last step gave.
    func value(_ column: Int32) -> ColumnValue
}

extension PreparedStatement {
    /// Runs it to its end. Rows are passed over.
    package func execute(arguments: StatementArguments = []) throws(DatabaseError) {
        try begin(arguments, isLarge: false)
        defer { reset() }
        while try step() {}
    }
}

extension DatabaseConnection {
    package func execute(sql: String) throws(DatabaseError) { try execute(sql: sql, arguments: []) }

    /// Runs `body` in a transaction: all that it writes is kept, or nothing.
    package func transaction<Value>(_ kind: TransactionKind, _ body: (Self) throws -> Value) throws -> Value {
        try begin(kind)
        do {
            let value = try body(self)
            try commit()
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// A number that there is one of.
    package func count(_ sql: String, _ arguments: StatementArguments = []) throws(DatabaseError) -> Int {
        try Int.fetchOne(self, sql: sql, arguments: arguments) ?? 0
    }

    /// Row by row, until `body` wants no more.
    /// - Parameter isLarge: the rows may not fit into memory.
    package func each(
        _ sql: String, _ arguments: StatementArguments = [], isLarge: Bool = false, _ body: (Row) throws -> Bool
    ) throws {
        let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments, isLarge: isLarge)
        defer { rows.end() }
        while let row = try rows.next() { guard try body(row) else { return } }
    }
}
