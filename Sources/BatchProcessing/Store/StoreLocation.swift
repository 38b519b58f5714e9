internal import BinaryPrimitives
internal import Databases

/// Location of a store: an SQLite file, or the database of a libpq URI
/// (`postgresql://crashes.example.org/crashes?sslmode=verify-full`).
package struct StoreLocation: Sendable {
    let path: String
    package let isServer: Bool

    package init(_ path: String) {
        self.path = path
        isServer = path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// Display name: the file's name, or the database's name, without the server and the rest of
    /// the address.
    var name: String {
        guard isServer else { return Path.name(of: path) }
        let address = path.prefix { $0 != "?" }
        // After the scheme and the server; the database that has the user's name is not named.
        let parts = address.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        return parts.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "PostgreSQL"
    }

    /// - Parameter erases: Overwrite deleted data. A server does so when it cleans up (VACUUM).
    func openToWrite(erases: Bool) throws(DatabaseError) -> any DatabaseConnection {
        if isServer { return try server() }
        let database = try Database(path: path)
        // One writer and readers beside it (write-ahead logging). Committed data survives the end
        // of the process; after a power failure only the last moments may be missing. Keys are
        // hashes, so rows are spread over the whole file: with the usual 2 MB of pages in memory
        // and 4 MB of log a store of 50 MB is written several times over.
        try database.execute(
            sql:
                "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -6144; PRAGMA wal_autocheckpoint = 8000"
        )
        if erases { try database.execute(sql: "PRAGMA secure_delete = ON") }
        return database
    }

    func server() throws(DatabaseError) -> any DatabaseConnection {
        guard let address = ServerAddress(path) else {
            throw DatabaseError(kind: .cannotOpen, message: "not the address of a database: expected postgresql://HOST/NAME")
        }
        return try ServerConnection(address)
    }

    /// Connections that change nothing.
    /// - Parameter filter: every connection sees these reports alone.
    func poolToRead(_ filter: ReportFilter = ReportFilter()) throws -> DatabasePool {
        if isServer {
            return try DatabasePool { () throws(DatabaseError) in
                let database = try server()
                try filter.hideOthers(in: database)
                return database
            }
        }
        // Nothing is written: but what shares a store with a run is files beside it, and a
        // connection that may not write leaves them there when it ends.
        do throws(DatabaseError) {
            return try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: path)
                try filter.hideOthers(in: database)
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
                try filter.hideOthers(in: database)
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
