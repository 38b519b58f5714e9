internal import BinaryPrimitives
internal import Databases

extension StoreLocation {
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
