internal import BinaryPrimitives
internal import GRDB

/// Questions to a store in a file of SQLite's. It is opened to be read: no question makes a store,
/// or changes one, and a run may go on beside it.
package final class SQLiteQuestions: StoreQuestions {
    private let path: String
    private let queue: DatabaseQueue
    let filter: ReportFilter

    /// - Throws: `StoreError` where there is no such file, where it is no store, or one of another
    ///   version.
    package init(path: String, filter: ReportFilter = ReportFilter()) throws(StoreError) {
        self.path = path
        self.filter = filter
        guard PathKind(path: path) != nil else {
            throw StoreError(path: path, problem: "no such file. To create it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
        }
        queue = try SQLiteStore.attempt(path) {
            let queue = try Self.open(path)
            let migrator = StoreSchema.migrator
            let (isNewer, isOlder) = try queue.read { database in
                (try migrator.hasBeenSuperseded(database), try !migrator.hasCompletedMigrations(database))
            }
            if isNewer {
                throw StoreError(
                    path: path, problem: "a newer cairn wrote this store. Use that version")
            }
            if isOlder {
                throw StoreError(
                    path: path,
                    problem: "an older cairn wrote this store. To update it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
            }
            if !filter.isEmpty { try queue.inDatabase { try Self.hide(allBut: filter, in: $0) } }
            return queue
        }
    }

    private static func open(_ path: String) throws -> DatabaseQueue {
        // Nothing is written: but what shares a store with a run is files beside it, and a
        // connection that may not write leaves them there when it ends.
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA query_only = 1") }
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
            return queue
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CANTOPEN && PathKind(path: path + "-wal") == nil {
            // In a folder that cannot be written there can be no such files, and without a log of
            // writes nobody writes.
            configuration.readonly = true
            return try DatabaseQueue(path: "file:" + escaped(path) + "?immutable=1", configuration: configuration)
        }
    }

    /// As SQLite's URIs have it: `?`, `#` and `%` are no part of a path.
    private static func escaped(_ path: String) -> String {
        var result = ""
        for scalar in path.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "?": result += "%3f"
            case "#": result += "%23"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Passes on each statement that is run, with its values: for tests of the cost of queries.
    func trace(_ notify: @escaping @Sendable (String) -> Void) {
        queue.inDatabase { database in
            database.trace { event in
                if case .statement(let statement) = event { notify(statement.expandedSQL) }
            }
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try SQLiteStore.attempt(path) { try queue.read(body) }
    }
}

/// What a column holds, whatever type it was written as: a file that another program changed ends
/// no process.
extension Row {
    func text(_ index: Int) -> String? { String.fromDatabaseValue(self[index] as DatabaseValue) }
    func number(_ index: Int) -> Int64? { Int64.fromDatabaseValue(self[index] as DatabaseValue) }
    func count(_ index: Int) -> Int { number(index).flatMap { Int(exactly: $0) } ?? 0 }
    func bits(_ index: Int) -> UInt64? { number(index).map { UInt64(bitPattern: $0) } }
}

extension Database {
    /// A number that there is one of.
    func count(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Int {
        try first(sql, arguments)?.count(0) ?? 0
    }

    func first(_ sql: String, _ arguments: StatementArguments = StatementArguments()) throws -> Row? {
        try Row.fetchOne(try cachedStatement(sql: sql), arguments: arguments)
    }

    /// Row by row, until `body` wants no more.
    func each(_ sql: String, _ arguments: StatementArguments = StatementArguments(), _ body: (Row) throws -> Bool) throws {
        let rows = try Row.fetchCursor(try cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { guard try body(row) else { return } }
    }
}
