internal import BinaryPrimitives
internal import Databases

/// Writes the data of a part beside the rows of its outcomes, in the caller's transaction.
enum StoreNotes {
    /// Writes the unreadable files, the archives that need not be opened again, and whether the
    /// groups are out of date.
    /// - Parameter replacesRows: rows of stacks were replaced: other rows may refer to their texts
    ///   no more.
    static func write(_ part: StoredPart, replacesRows: Bool, in database: any DatabaseConnection) throws(DatabaseError) {
        // In the order of the keys: two writers that wait for each other's rows would wait for
        // ever.
        let unread = try database.cachedStatement(
            sql: "INSERT INTO unread (path, problem) VALUES (?, ?) ON CONFLICT (path) DO UPDATE SET problem = excluded.problem")
        for (path, problem) in part.unread.sorted(by: { $0.path < $1.path }) { try unread.execute(arguments: [path, problem]) }
        let archive = try database.cachedStatement(
            sql:
                "INSERT INTO archives (path, size, modified, rules) VALUES (?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified, rules = excluded.rules"
        )
        for (path, stamp) in part.archives.sorted(by: { $0.path < $1.path }) {
            try archive.execute(arguments: [path, Int64(clamping: stamp.size), stamp.modified, part.rules])
        }
        if !part.outcomes.isEmpty || part.files.contains(where: { $0.grownFrom != nil }) {
            try database.execute(
                sql: replacesRows ? "UPDATE state SET grouped = 0, has_unused = 1" : "UPDATE state SET grouped = 0 WHERE grouped = 1")
        }
    }

    static func removeReports(ofLog log: Int64, in database: any DatabaseConnection) throws(DatabaseError) {
        try database.execute(
            sql:
                "INSERT INTO moved_reports SELECT reports.id, crash_group FROM reports JOIN signatures ON signatures.id = signature WHERE log = ? AND crash_group IS NOT NULL ON CONFLICT DO NOTHING",
            arguments: [log])
        for table in ["threads", "loaded_images"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE report IN (SELECT id FROM reports WHERE log = ?)", arguments: [log])
        }
        try database.execute(sql: "DELETE FROM reports WHERE log = ?", arguments: [log])
    }

    /// The whole log has what its beginning had.
    static func removeBeginning(of stored: StoredFile, in database: any DatabaseConnection) throws(DatabaseError) {
        guard let former = stored.grownFrom?.number else { return }
        guard try Int.fetchOne(database, sql: "SELECT 1 FROM files WHERE log = ?", arguments: [former]) == nil else { return }
        try removeReports(ofLog: former, in: database)
        try database.execute(sql: "DELETE FROM logs WHERE id = ?", arguments: [former])
    }
}
