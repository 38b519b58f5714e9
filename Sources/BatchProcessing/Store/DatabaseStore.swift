package import BinaryPrimitives
internal import Databases
internal import LibC

/// A store in a database: a file of SQLite's, or one of a PostgreSQL server.
package final class DatabaseStore: Sendable {
    private let path: String
    var location: StoreLocation { StoreLocation(path) }
    private let pool: DatabasePool
    private let notice: @Sendable (String) -> Void

    /// Opens a store, or makes one.
    /// - Throws: `StoreError` if the file is not an SQLite file, is written by a newer cairn, or
    ///   cannot be opened.
    /// - Parameters:
    ///   - path: a file, or a server's URI (`StoreLocation`).
    ///   - erases: Overwrite deleted data, so that names do not remain in the file after they were
    ///     removed.
    ///   - notice: Called with a line when the store waits for a server.
    package init(path: String, erases: Bool = false, notice: @escaping @Sendable (String) -> Void = { _ in }) throws(StoreError) {
        self.path = path
        self.notice = notice
        // A server that is not there may have been misspelt: it is not waited for as long as one
        // that was there.
        pool = try Self.attempt(path) { try Self.patiently(path, .seconds(10), notice) { try Self.open(path, erases) } }
    }

    private static func open(_ path: String, _ erases: Bool) throws -> DatabasePool {
        let location = StoreLocation(path)
        let pool = try DatabasePool { () throws(DatabaseError) in try location.openToWrite(erases: erases) }
        let migrations = StoreSchema.migrations(isServer: location.isServer)
        if try pool.read(migrations.hasBeenSuperseded) { throw try pool.read { newer($0, path) } }
        let isOlder = try pool.read { try $0.hasTable("logs") && !migrations.isReadable($0) }
        try migrations.migrate(pool)
        // The file has the room of the former tables. A store whose file cannot be made smaller now
        // is as good.
        if isOlder, !location.isServer { try? pool.withDatabase { try $0.execute(sql: "VACUUM") } }
        return pool
    }

    /// The problem of a store with tables that this cairn does not know. The last run's version
    /// reads it.
    static func newer(_ database: any DatabaseConnection, _ path: String) -> StoreError {
        let version = (try? String.fetchOne(database, sql: "SELECT version FROM runs ORDER BY id DESC LIMIT 1")) ?? nil
        let use = version.map { "cairn \($0) or later" } ?? "that version"
        return StoreError(path: path, problem: "a newer cairn wrote this store. Use \(use), or another store")
    }

    /// Notes that a run begins.
    /// - Returns: the run's number.
    package func beginRun(_ roots: [String], version: String) throws(StoreError) -> Int64 {
        let began = WallClock.nanoseconds
        // A number is the next in one transaction alone.
        return try write(alone: true) { database in
            // Unreadable files of an earlier run are tried again.
            for root in roots {
                try database.execute(
                    sql: "DELETE FROM unread WHERE path = ?1 OR substr(path, 1, length(?1) + 1) = ?1 || '/'",
                    arguments: [root.hasSuffix("/") ? String(root.dropLast()) : root])
            }
            // It may be there: a server may go away after it has kept it, and before it says so.
            let values: StatementArguments = [began, version, roots.joined(separator: "\n")]
            let known = "SELECT id FROM runs WHERE began = ? AND version = ? AND roots = ?"
            if let run = try Int64.fetchOne(database, sql: known, arguments: values) { return run }
            let next = "SELECT coalesce(max(id), 0) + 1, CAST(?1 AS INTEGER), ?2, ?3 FROM runs"
            try database.execute(sql: "INSERT INTO runs (id, began, version, roots) " + next, arguments: values)
            return try Int64.fetchOne(database, sql: known, arguments: values) ?? 0
        }
    }

    package func endRun(_ run: Int64, logs: Int) throws(StoreError) {
        try write { database in
            try database.execute(
                sql: "UPDATE runs SET ended = ?, logs = ? WHERE id = ?", arguments: [WallClock.nanoseconds, logs, run])
        }
    }

    /// State of each file in the store.
    package func statuses(of files: [LogTree.File], _ requirements: ResultRequirements) throws(StoreError) -> [FileStatus] {
        guard !files.isEmpty else { return [] }
        return try read { database in
            let statement = try database.cachedStatement(
                sql:
                    "SELECT files.size, modified, content, logs.size AS bytes, rules, unanswered, result FROM files JOIN logs ON logs.id = files.log WHERE path = ?"
            )
            return try files.map { file in
                guard let row = try Row.fetchOne(statement, arguments: [file.path]) else { return .new }
                let isUnchanged = row["size"] == Int64(clamping: file.stamp.size) && row["modified"] == file.stamp.modified
                let isGood = row["rules"] == requirements.rules && row["unanswered"] <= requirements.maxUnresolvedFrames
                if isUnchanged, isGood || row["result"] == Self.prunedResult { return .known }
                guard let content = ContentHash(hexadecimal: row["content"]) else { return .new }
                return .changed(from: content, size: row["bytes"])
            }
        }
    }

    /// Whether all logs of an archive are kept, and it has the size and the time of change that it
    /// had then.
    package func hasArchive(at path: String, stamp: FileStamp, _ requirements: ResultRequirements) throws(StoreError) -> Bool {
        // Which of its logs have unresolved frames is known only after opening it.
        guard !requirements.retriesUnresolved else { return false }
        return try read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT 1 FROM archives WHERE path = ? AND size = ? AND modified = ? AND rules = ?")
            return try Int.fetchOne(
                statement, arguments: [path, Int64(clamping: stamp.size), stamp.modified, requirements.rules]) != nil
        }
    }

    /// Whether the outcome of a log with this content is kept.
    package func has(_ content: ContentHash, _ requirements: ResultRequirements) throws(StoreError) -> Bool {
        try read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT 1 FROM logs WHERE id = ? AND (rules = ? AND unanswered <= ? OR result = '\(Self.prunedResult)')")
            return try Int.fetchOne(statement, arguments: [content.number, requirements.rules, requirements.maxUnresolvedFrames]) != nil
        }
    }

    /// Keeps outcomes and the paths of their logs, all or none of them. The data is safe when this
    /// function has returned, even if the process is killed.
    package func keep(_ part: StoredPart) throws(StoreError) {
        try write { database in
            if database.isServer {
                try SharedOutcomeWriter.write(part, in: database)
            } else {
                var writer = try OutcomeWriter(database, rules: part.rules, isAnonymous: part.isAnonymous)
                try writer.write(part)
            }
        }
    }

    /// Puts all reports into groups.
    /// - Throws: `StoreError`; the groups are as they were then.
    package func group() throws(StoreError) {
        try write(alone: true) { database in
            guard try Int.fetchOne(database, sql: "SELECT grouped FROM state") == 0 else { return }
            try GroupWriter(database).write()
            try database.execute(sql: "UPDATE state SET grouped = 1")
            // Else the first queries would be planned for empty tables.
            if database.isServer { try database.execute(sql: StoreTable.analysis) }
        }
    }

    /// How much it holds.
    package func counts() throws(StoreError) -> StoreCounts {
        try read { database in
            func count(_ sql: String) throws -> Int { try Int.fetchOne(database, sql: "SELECT count(*) FROM " + sql) ?? 0 }
            var counts = StoreCounts()
            counts.files = try count("files")
            counts.logs = try count("logs")
            counts.prunedLogs = try count("logs WHERE result = '\(Self.prunedResult)'")
            counts.logsWithoutTrace = try count("logs WHERE result = 'no-trace'")
            counts.unreadableLogs = try count("logs WHERE result = 'unreadable'")
            counts.reports = try count("reports")
            counts.reportsWithoutStack = try count("signatures JOIN reports ON signature = signatures.id WHERE absence IS NOT NULL")
            // Not by the view, which looks up the texts.
            let frames = "frame_rows AS r JOIN frame_kinds AS k ON k.id = r.frame_kind"
            counts.frames = try count(
                "\(frames) WHERE reason IS NOT NULL OR printed IS NOT NULL OR EXISTS (SELECT 1 FROM function_rows AS f WHERE f.stack = r.stack AND f.frame = r.number)"
            )
            counts.unresolvedFrames = try count("\(frames) WHERE reason IS NOT NULL AND printed IS NULL")
            counts.groups = try count("crash_groups")
            counts.unread = try count("unread")
            return counts
        }
    }

    /// `logs.result` of a log whose reports were removed.
    static let prunedResult = "pruned"

    // MARK: Patience and errors

    /// A server may be restarted for an upgrade.
    private static let patience = Duration.seconds(300)

    func read<Value>(_ body: (any DatabaseConnection) throws -> Value) throws(StoreError) -> Value {
        try Self.attempt(path) { try Self.patiently(path, Self.patience, notice) { try pool.read(body) } }
    }

    func write<Value>(alone: Bool = false, _ body: (any DatabaseConnection) throws -> Value) throws(StoreError) -> Value {
        try Self.attempt(path) {
            try Self.patiently(path, Self.patience, notice) { alone ? try pool.writeAlone(body) : try pool.write(body) }
        }
    }

    /// Repeats a transaction that the server, or another writer, has ended. What it kept without
    /// saying so is found, because the rows' keys follow from their content.
    private static func patiently<Value>(
        _ path: String, _ limit: Duration, _ notice: (String) -> Void, _ body: () throws -> Value
    ) throws -> Value {
        var patience = RetryPolicy(limit: limit)
        var isWaiting = false
        while true {
            do {
                let value = try body()
                if isWaiting { notice("\(path): the server is back") }
                return value
            } catch let error as DatabaseError where error.kind == .conflict || error.kind == .unavailable {
                guard patience.wait() else { throw error }
                guard error.kind == .unavailable, !isWaiting else { continue }
                notice("\(path): waiting for the server: \(error.message)")
                isWaiting = true
            }
        }
    }

    static func attempt<Value>(_ path: String, _ body: () throws -> Value) throws(StoreError) -> Value {
        do { return try body() } catch let error as StoreError { throw error } catch let error as DatabaseError {
            throw StoreError(path: path, problem: message(error, path))
        } catch { throw StoreError(path: path, problem: "\(error)") }
    }

    private static func message(_ error: DatabaseError, _ path: String) -> String {
        switch error.kind {
        case .notADatabase: "not a crash store: expected an SQLite file, or no file"
        case .full: "the disk is full. What was stored before is kept, and the next run continues from there"
        case .cannotOpen where StoreLocation(path).isServer: error.message
        case .cannotOpen: "it cannot be opened: expected a writable file in an existing directory"
        case .readOnly: "it cannot be written"
        case .busy: "another process is writing to it"
        case .corrupt: "it is damaged: expected an intact SQLite file"
        case .unavailable, .conflict, .other: error.message
        }
    }
}

/// How often a transaction is tried again, and how long a server is waited for.
private struct RetryPolicy {
    private static let longestPause: UInt32 = 2_000_000

    private let limit: Duration
    private let start = ContinuousClock.now
    /// In microseconds; each is half as long again as the one before.
    private var pause: UInt32 = 20_000

    init(limit: Duration) { self.limit = limit }

    /// - Returns: `false` where it has been long enough.
    mutating func wait() -> Bool {
        guard ContinuousClock.now - start < limit else { return false }
        usleep(pause)
        pause = min(pause + pause / 2, Self.longestPause)
        return true
    }
}

/// Which of the outcomes that are kept are good enough.
package struct ResultRequirements: Sendable, Hashable {
    /// Fingerprint of the current rules for signatures (`SignatureRules.fingerprint`).
    package var rules: String
    /// Whether logs with unresolved frames are symbolicated again.
    package var retriesUnresolved: Bool

    package init(rules: String, retriesUnresolved: Bool = false) {
        self.rules = rules
        self.retriesUnresolved = retriesUnresolved
    }

    /// Unresolved frames that an outcome may have.
    fileprivate var maxUnresolvedFrames: Int64 { retriesUnresolved ? 0 : .max }
}

/// State of a file in the store.
package enum FileStatus: Sendable, Hashable {
    /// Its log is kept, and it has the size and the time of change that it had then.
    case known
    /// When it was last stored it held that log, of so many bytes.
    case changed(from: ContentHash, size: Int64)
    case new
}

/// Results that are stored in one transaction.
package struct StoredPart: Sendable {
    package var outcomes: [LogOutcome] = []
    package var files: [StoredFile] = []
    /// Files and folders that cannot be opened, and why.
    package var unread: [(path: String, problem: String)] = []
    /// Archives whose last log is among these files, or was kept before.
    package var archives: [(path: String, stamp: FileStamp)] = []
    /// Fingerprint of the rules of all these outcomes.
    package var rules: String
    /// Names were removed from the outcomes. Paths of images that were stored before are replaced.
    package var isAnonymous: Bool

    package init(rules: String, isAnonymous: Bool = false) {
        self.rules = rules
        self.isAnonymous = isAnonymous
    }

    package var isEmpty: Bool { outcomes.isEmpty && files.isEmpty && unread.isEmpty && archives.isEmpty }
}

/// A file and the log that it holds.
package struct StoredFile: Sendable {
    package var path: String
    package var stamp: FileStamp
    package var content: ContentHash
    /// The log that it held before, where that was the beginning of this one: a log that has grown
    /// since.
    package var grownFrom: ContentHash?

    package init(path: String, stamp: FileStamp, content: ContentHash, grownFrom: ContentHash? = nil) {
        self.path = path
        self.stamp = stamp
        self.content = content
        self.grownFrom = grownFrom
    }
}

package struct StoreCounts: Sendable, Hashable {
    package var files = 0
    package var logs = 0
    package var logsWithoutTrace = 0
    package var unreadableLogs = 0
    /// Logs whose reports were removed (`prune`).
    package var prunedLogs = 0
    package var reports = 0
    /// Reports that are in no group because they have no usable stack.
    package var reportsWithoutStack = 0
    /// Frames that can be looked up, counting each distinct stack once.
    package var frames = 0
    package var unresolvedFrames = 0
    package var groups = 0
    /// Files and folders that could not be opened.
    package var unread = 0

    package init() {}
}

/// Problem of a store: one sentence, with what to do.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    package var path: String
    package var problem: String

    package init(path: String, problem: String) {
        self.path = path
        self.problem = problem
    }

    package var description: String { "\(path): \(problem)" }
}
