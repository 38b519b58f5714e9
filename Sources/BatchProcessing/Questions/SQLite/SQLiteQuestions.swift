internal import BinaryPrimitives
internal import SQLite

/// Questions to a store in a file of SQLite's. It is opened to be read: no question makes a store,
/// or changes one, and a run may go on beside it.
package final class SQLiteQuestions: StoreQuestions {
    private let path: String
    private let pool: DatabasePool
    let filter: ReportFilter

    /// - Throws: `StoreError` where there is no such file, where it is no store, or one of another
    ///   version.
    package init(path: String, filter: ReportFilter = ReportFilter()) throws(StoreError) {
        self.path = path
        self.filter = filter
        guard PathKind(path: path) != nil else {
            throw StoreError(path: path, problem: "no such file. To create it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
        }
        pool = try SQLiteStore.attempt(path) {
            let pool = try Self.open(path)
            let migrations = StoreSchema.migrations
            let (isNewer, isOlder) = try pool.read { database in
                (try migrations.hasBeenSuperseded(database), try !migrations.hasCompletedMigrations(database))
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
            return filter.isEmpty ? pool : try Self.open(path, filter)
        }
    }

    /// - Parameter filter: every connection sees these reports alone.
    private static func open(_ path: String, _ filter: ReportFilter = ReportFilter()) throws -> DatabasePool {
        // Nothing is written: but what shares a store with a run is files beside it, and a
        // connection that may not write leaves them there when it ends.
        do throws(DatabaseError) {
            let pool = try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: path)
                try hide(allBut: filter, in: database)
                try database.execute(sql: "PRAGMA query_only = 1")
                _ = try database.count("SELECT count(*) FROM sqlite_master")
                return database
            }
            return pool
        } catch {
            // In a folder that cannot be written there can be no such files, and without a log of
            // writes nobody writes.
            guard error.kind == .cannotOpen, PathKind(path: path + "-wal") == nil else { throw error }
            return try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: "file:" + escaped(path) + "?immutable=1", .readOnly)
                try hide(allBut: filter, in: database)
                return database
            }
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
        try? pool.withDatabase { $0.trace(notify) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try SQLiteStore.attempt(path) { try pool.read(body) }
    }
}
