internal import BinaryPrimitives
internal import Databases

/// Questions to a store in a database. It is opened to be read: no question makes a store, or
/// changes one, and a run may go on beside it.
package final class DatabaseQuestions: StoreQuestions {
    private let path: String
    private let pool: DatabasePool
    let filter: ReportFilter

    /// - Parameter path: a file, or a server's URI (`StoreLocation`).
    /// - Throws: `StoreError` where there is no such file, where it is no store, or one of another
    ///   version.
    package init(path: String, filter: ReportFilter = ReportFilter()) throws(StoreError) {
        self.path = path
        self.filter = filter
        let location = StoreLocation(path)
        guard location.isServer || PathKind(path: path) != nil else { throw Self.missing(path) }
        pool = try DatabaseStore.attempt(path) {
            let pool = try location.poolToRead()
            let migrations = StoreSchema.migrations(isServer: location.isServer)
            let (isEmpty, isNewer, isOlder) = try pool.read { database in
                (
                    try location.isServer && !database.hasTable("logs"), try migrations.hasBeenSuperseded(database),
                    try !migrations.isReadable(database)
                )
            }
            if isEmpty { throw Self.missing(path) }
            if isNewer {
                throw StoreError(
                    path: path, problem: "a newer cairn wrote this store. Use that version")
            }
            if isOlder {
                throw StoreError(
                    path: path,
                    problem: "an older cairn wrote this store. To update it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
            }
            return filter.isEmpty ? pool : try location.poolToRead(filter)
        }
    }

    private static func missing(_ path: String) -> StoreError {
        let what = StoreLocation(path).isServer ? "no crash store in this database" : "no such file"
        return StoreError(path: path, problem: "\(what). To create it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
    }

    /// Passes on each statement that is run, with its values: for tests of the cost of SQLite's
    /// queries.
    func trace(_ notify: @escaping @Sendable (String) -> Void) {
        try? pool.withDatabase { ($0 as? Database)?.trace(notify) }
    }

    func read<Value>(_ body: (any DatabaseConnection) throws -> Value) throws(StoreError) -> Value {
        try DatabaseStore.attempt(path) { try pool.read(body) }
    }
}
