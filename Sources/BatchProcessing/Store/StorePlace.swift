internal import BinaryPrimitives
internal import Databases
internal import SQLite

#if PostgreSQL
    internal import PostgreSQL
#endif

/// Where a store is: a file of SQLite's, or the database that a URI of libpq's leads to
/// (`postgresql://crashes.example.org/crashes?sslmode=verify-full`).
package struct StorePlace: Sendable {
    let path: String
    package let isServer: Bool

    package init(_ path: String) {
        self.path = path
        isServer = path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// - Parameter erases: overwrite what is deleted. A server does so when it cleans up (VACUUM).
    func openToWrite(erases: Bool) throws(DatabaseError) -> any DatabaseConnection {
        if isServer { return try server() }
        let database = try Database(path: path)
        // One writer and readers beside it (write-ahead logging); what is committed survives the
        // process's end, and of the machine's power failure only the last moments may be missing.
        // Rows have keys of hashes, and lie everywhere: with the usual 2 MB of pages in memory and 4
        // MB of log a store of 50 MB is written several times over.
        try database.execute(
            sql:
                "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -6144; PRAGMA wal_autocheckpoint = 8000"
        )
        if erases { try database.execute(sql: "PRAGMA secure_delete = ON") }
        return database
    }

    private func server() throws(DatabaseError) -> any DatabaseConnection {
        #if PostgreSQL
            if let address = ServerAddress(path) { return try ServerConnection(address) }
        #endif
        throw DatabaseError(kind: .cannotOpen, message: "this build has no PostgreSQL: expected the package trait PostgreSQL")
    }

    // MARK: Reading

    /// Connections that change nothing.
    /// - Parameter filter: every connection sees these reports alone.
    func poolToRead(_ filter: ReportFilter = ReportFilter()) throws -> DatabasePool {
        if isServer {
            return try DatabasePool { () throws(DatabaseError) in
                let database = try server()
                try DatabaseQuestions.hide(allBut: filter, in: database)
                return database
            }
        }
        // Nothing is written: but what shares a store with a run is files beside it, and a
        // connection that may not write leaves them there when it ends.
        do throws(DatabaseError) {
            return try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: path)
                try DatabaseQuestions.hide(allBut: filter, in: database)
                try database.execute(sql: "PRAGMA query_only = 1")
                _ = try database.count("SELECT count(*) FROM sqlite_master")
                return database
            }
        } catch {
            // In a folder that cannot be written there can be no such files, and without a log of
            // writes nobody writes.
            guard error.kind == .cannotOpen, PathKind(path: path + "-wal") == nil else { throw error }
            return try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: "file:" + Self.escaped(path) + "?immutable=1", .readOnly)
                try DatabaseQuestions.hide(allBut: filter, in: database)
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
}
