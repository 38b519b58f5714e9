package import BinaryPrimitives
internal import SQLite

extension AnswerNeed {
    /// Unresolved frames that an outcome may have.
    fileprivate var mostUnanswered: Int64 { retriesUnanswered ? 0 : .max }
}

/// A store in a file of SQLite's.
package final class SQLiteStore: ReportStore {
    private let path: String
    private let pool: DatabasePool

    /// Opens a store, or makes one.
    /// - Throws: `StoreError` where the file is none of SQLite's, is written by a newer cairn, or
    ///   cannot be opened.
    /// - Parameter erases: overwrite what is deleted: what was kept with names, and is kept without
    ///   them now.
    package init(path: String, erases: Bool = false) throws(StoreError) {
        self.path = path
        pool = try Self.attempt(path) {
            let pool = try DatabasePool { () throws(DatabaseError) in
                let database = try Database(path: path)
                // One writer and readers beside it (write-ahead logging); what is committed
                // survives the process's end, and of the machine's power failure only the last
                // moments may be missing. Rows have keys of hashes, and lie everywhere: with the
                // usual 2 MB of pages in memory and 4 MB of log a store of 50 MB is written several
                // times over.
                try database.execute(
                    sql:
                        "PRAGMA foreign_keys = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -6144; PRAGMA wal_autocheckpoint = 8000"
                )
                if erases { try database.execute(sql: "PRAGMA secure_delete = ON") }
                return database
            }
            let migrations = StoreSchema.migrations
            if try pool.read(migrations.hasBeenSuperseded) {
                throw StoreError(
                    path: path,
                    problem: "a newer cairn wrote this store. Use that version, or another store")
            }
            try migrations.migrate(pool)
            return pool
        }
    }

    package func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64 {
        try write { database in
            // What cannot be read is found out anew.
            for root in roots {
                try database.execute(
                    sql: "DELETE FROM unread WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
                    arguments: [root.hasSuffix("/") ? String(root.dropLast()) : root])
            }
            try database.execute(
                sql: "INSERT INTO runs (began, version, roots) VALUES (?, ?, ?)",
                arguments: [WallClock.nanoseconds, version, roots.joined(separator: "\n")])
            return database.lastInsertedRowID
        }
    }

    package func endRun(_ run: Int64, logs: Int) throws(StoreError) {
        try write { database in
            try database.execute(
                sql: "UPDATE runs SET ended = ?, logs = ? WHERE id = ?", arguments: [WallClock.nanoseconds, logs, run])
        }
    }

    package func know(_ files: [LogTree.File], _ need: AnswerNeed) throws(StoreError) -> [FileKnowledge] {
        guard !files.isEmpty else { return [] }
        return try read { database in
            let statement = try database.cachedStatement(
                sql:
                    "SELECT files.size, modified, content, logs.size AS bytes, rules, unanswered FROM files JOIN logs ON logs.id = files.log WHERE path = ?"
            )
            return try files.map { file in
                guard let row = try Row.fetchOne(statement, arguments: [file.path]) else { return .new }
                let isUnchanged = row["size"] == Int64(clamping: file.stamp.size) && row["modified"] == file.stamp.modified
                if isUnchanged, row["rules"] == need.rules, row["unanswered"] <= need.mostUnanswered { return .known }
                guard let content = ContentHash(hexadecimal: row["content"]) else { return .new }
                return .changed(from: content, size: row["bytes"])
            }
        }
    }

    package func knowsArchive(at path: String, stamp: FileStamp, _ need: AnswerNeed) throws(StoreError) -> Bool {
        // Which of its logs have unresolved frames is known only after opening it.
        guard !need.retriesUnanswered else { return false }
        return try read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT 1 FROM archives WHERE path = ? AND size = ? AND modified = ? AND rules = ?")
            return try Int.fetchOne(
                statement, arguments: [path, Int64(clamping: stamp.size), stamp.modified, need.rules]) != nil
        }
    }

    package func has(_ content: ContentHash, _ need: AnswerNeed) throws(StoreError) -> Bool {
        try read { database in
            let statement = try database.cachedStatement(sql: "SELECT 1 FROM logs WHERE id = ? AND rules = ? AND unanswered <= ?")
            return try Int.fetchOne(statement, arguments: [content.number, need.rules, need.mostUnanswered]) != nil
        }
    }

    package func keep(_ part: StoredPart) throws(StoreError) {
        try write { database in
            let writer = try OutcomeWriter(database, rules: part.rules, isAnonymous: part.isAnonymous)
            for outcome in part.outcomes { try writer.write(outcome) }
            for file in part.files { try writer.write(file) }
            try writer.write(unread: part.unread)
            for (path, stamp) in part.archives { try writer.write(archiveAt: path, stamp) }
            if !part.outcomes.isEmpty || part.files.contains(where: { $0.grownFrom != nil }) {
                try database.execute(sql: "UPDATE state SET grouped = 0")
            }
        }
    }

    package func group() throws(StoreError) {
        try write { database in
            guard try Int.fetchOne(database, sql: "SELECT grouped FROM state") == 0 else { return }
            try GroupWriter(database).write()
            try database.execute(sql: "UPDATE state SET grouped = 1")
        }
    }

    package func counts() throws(StoreError) -> StoreCounts {
        try read { database in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM " + sql) ?? 0 }
            var counts = StoreCounts()
            counts.files = try count("files")
            counts.logs = try count("logs")
            counts.logsWithoutTrace = try count("logs WHERE result = 'no-trace'")
            counts.unreadableLogs = try count("logs WHERE result = 'unreadable'")
            counts.reports = try count("reports")
            counts.frames = try count(
                "frames WHERE reason IS NOT NULL OR EXISTS (SELECT 1 FROM functions WHERE functions.stack = frames.stack AND frame = number)"
            )
            counts.unresolvedFrames = try count("frames WHERE reason IS NOT NULL")
            counts.groups = try count("crash_groups")
            counts.unread = try count("unread")
            return counts
        }
    }

    // MARK: Errors

    private func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try Self.attempt(path) { try pool.read(body) }
    }

    private func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
        try Self.attempt(path) { try pool.write(body) }
    }

    static func attempt<Value>(_ path: String, _ body: () throws -> Value) throws(StoreError) -> Value {
        do { return try body() } catch let error as StoreError { throw error } catch let error as DatabaseError {
            throw StoreError(path: path, problem: words(error))
        } catch { throw StoreError(path: path, problem: "\(error)") }
    }

    private static func words(_ error: DatabaseError) -> String {
        switch error.kind {
        case .notADatabase: "not a crash store: expected an SQLite file, or no file"
        case .full: "the disk is full. What was stored before is kept, and the next run continues from there"
        case .cannotOpen: "it cannot be opened: expected a writable file in an existing directory"
        case .readOnly: "it cannot be written"
        case .busy: "another process is writing to it"
        case .corrupt: "it is damaged: expected an intact SQLite file"
        case .other: error.message
        }
    }
}
