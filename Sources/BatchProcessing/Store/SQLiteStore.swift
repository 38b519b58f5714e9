#if Batch
    public import BinaryPrimitives
    internal import GRDB

    /// A store in a file of SQLite's.
    public final class SQLiteStore: ReportStore {
        private let path: String
        private let queue: DatabaseQueue

        /// Opens a store, or makes one.
        /// - Throws: `StoreError` where the file is none of SQLite's, is written by a newer cairn, or cannot be opened.
        public init(path: String) throws(StoreError) {
            self.path = path
            queue = try Self.attempt(path) {
                var configuration = Configuration()
                configuration.foreignKeysEnabled = true
                configuration.busyMode = .timeout(10)
                // One writer and readers beside it; what is committed survives the process's end, and of the machine's power failure only the last moments may be missing.
                configuration.prepareDatabase { database in
                    try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
                }
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                let migrator = StoreSchema.migrator
                if try queue.read(migrator.hasBeenSuperseded) {
                    throw StoreError(
                        path: path,
                        problem: "a newer cairn wrote this store: expected the tables of this one; use that cairn, or another store")
                }
                try migrator.migrate(queue)
                return queue
            }
        }

        public func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64 {
            try write { database in
                try database.execute(
                    sql: "INSERT INTO runs (began, version, roots) VALUES (?, ?, ?)",
                    arguments: [WallClock.nanoseconds, version, roots.joined(separator: "\n")])
                return database.lastInsertedRowID
            }
        }

        public func endRun(_ run: Int64, logs: Int) throws(StoreError) {
            try write { database in
                try database.execute(
                    sql: "UPDATE runs SET ended = ?, logs = ? WHERE id = ?", arguments: [WallClock.nanoseconds, logs, run])
            }
        }

        public func content(ofFileAt path: String, stamp: FileStamp) throws(StoreError) -> ContentHash? {
            try read { database in
                let statement = try database.cachedStatement(
                    sql: "SELECT content FROM files JOIN logs ON logs.id = files.log WHERE path = ? AND files.size = ? AND modified = ?")
                return try String.fetchOne(statement, arguments: [path, Int64(clamping: stamp.size), stamp.modified]).flatMap {
                    ContentHash(hexadecimal: $0)
                }
            }
        }

        public func has(_ content: ContentHash) throws(StoreError) -> Bool {
            try read { database in
                let statement = try database.cachedStatement(sql: "SELECT 1 FROM logs WHERE id = ?")
                return try Int.fetchOne(statement, arguments: [content.number]) != nil
            }
        }

        public func keep(_ outcomes: [LogOutcome], files: [StoredFile]) throws(StoreError) {
            try write { database in
                var writer = try OutcomeWriter(database)
                for outcome in outcomes { try writer.write(outcome) }
                for file in files { try writer.write(file) }
            }
        }

        public func counts() throws(StoreError) -> StoreCounts {
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
                counts.unansweredFrames = try count("frames WHERE reason IS NOT NULL")
                return counts
            }
        }

        // MARK: Errors

        private func read<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
            try Self.attempt(path) { try queue.read(body) }
        }

        private func write<Value>(_ body: (Database) throws -> Value) throws(StoreError) -> Value {
            try Self.attempt(path) { try queue.write(body) }
        }

        static func attempt<Value>(_ path: String, _ body: () throws -> Value) throws(StoreError) -> Value {
            do { return try body() } catch let error as StoreError { throw error } catch let error as DatabaseError {
                throw StoreError(path: path, problem: words(error))
            } catch { throw StoreError(path: path, problem: "\(error)") }
        }

        private static func words(_ error: DatabaseError) -> String {
            switch error.resultCode {
            case .SQLITE_NOTADB: "it is no store: expected a file of SQLite, or none"
            case .SQLITE_FULL: "the disk is full: what was kept before stays, and the next run goes on from there"
            case .SQLITE_CANTOPEN: "it cannot be opened: expected a file that can be written, in a folder that is there"
            case .SQLITE_READONLY: "it cannot be written"
            case .SQLITE_BUSY, .SQLITE_LOCKED: "another process is writing to it"
            case .SQLITE_CORRUPT: "it is damaged: expected a sound file of SQLite"
            default: error.message ?? "\(error)"
            }
        }
    }
#endif
