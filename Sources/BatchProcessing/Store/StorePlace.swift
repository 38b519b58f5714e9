internal import BinaryPrimitives
internal import Databases

/// Where a store is: a file of SQLite's, or the database that a URI of libpq's leads to
/// (`postgresql://crashes.example.org/crashes?sslmode=verify-full`).
package struct StorePlace: Sendable {
    let path: String
    package let isServer: Bool

    package init(_ path: String) {
        self.path = path
        isServer = path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// What people call it: the file's name, or that of the database, without the server and what
    /// else its address says.
    var name: String {
        guard isServer else { return Path.name(of: path) }
        let address = path.prefix { $0 != "?" }
        // After the scheme and the server; the database that has the user's name is not named.
        let parts = address.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        return parts.first.flatMap { $0.isEmpty ? nil : String($0) } ?? "PostgreSQL"
    }

    /// - Parameter erases: overwrite what is deleted. A server does so when it cleans up (VACUUM).
    func openToWrite(erases: Bool) throws(DatabaseError) -> any DatabaseConnection {
        if isServer { return try server() }
        let database = try Database(path: path)
        // One writer and readers beside it (write-ahead logging); what is committed survives the
        // process's end, and of the machine's power failure only the last moments may be missing.
        // Rows have keys of hashes, and are everywhere in the file: with the usual 2 MB of pages in
        // memory and 4 MB of log a store of 50 MB is written several times over.
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
}
