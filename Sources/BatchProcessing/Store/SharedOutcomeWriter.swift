internal import BinaryPrimitives
internal import Databases

/// Writes outcomes into the tables of a server, in a transaction that is the caller's, while others
/// write, too.
///
/// Rows that may be another writer's as well (logs, signatures, images, stacks, texts, files) come into a
/// table of the connection's own first, and from there into the store's, in the order of their
/// keys. So writers wait for each other, and never in a circle. What belongs to a log or a stack is
/// written by the one that wrote its row, which is locked until the end of the transaction.
struct SharedOutcomeWriter {
    private let database: any DatabaseConnection
    private let part: StoredPart
    /// Rows of a stack were replaced by others.
    private var replacesRows = false

    private init(_ database: any DatabaseConnection, _ part: StoredPart) {
        self.database = database
        self.part = part
    }

    static func write(_ part: StoredPart, in database: any DatabaseConnection) throws {
        var writer = Self(database, part)
        try writer.writeOutcomes()
        try writer.writeFiles()
        try StoreNotes.write(part, replacesRows: writer.replacesRows, in: database)
    }

    // MARK: Logs

    private mutating func writeOutcomes() throws {
        // Two files of one content may be in one part.
        let outcomes = Dictionary(part.outcomes.map { ($0.content.number, $0) }) { first, _ in first }
        guard !outcomes.isEmpty else { return }
        try stage(.logs, outcomes.values.map { OutcomeRows.log($0, rules: part.rules) })
        let collision = "SELECT 1 FROM new_logs AS new JOIN logs ON logs.id = new.id WHERE logs.content <> new.content"
        guard try Int.fetchOne(database, sql: collision) == nil else { throw StoreError.sharedHash }
        let isPruned = "logs.result = '\(DatabaseStore.prunedResult)'"
        let isBetter = "NOT \(isPruned) AND (logs.rules IS DISTINCT FROM excluded.rules OR logs.unanswered > excluded.unanswered)"
        let isKnown = "\(isPruned) OR logs.rules = new.rules AND logs.unanswered <= new.unanswered"
        let taken = try merge(.logs, unless: isKnown, StoreConflict.log + " WHERE " + isBetter)
        let known = "SELECT DISTINCT log FROM reports WHERE log IN (SELECT value FROM json_each(?)) ORDER BY log"
        for log in try keys(known, [Self.list(taken)]) { try StoreNotes.removeReports(ofLog: log, in: database) }
        try write(taken.sorted().compactMap { outcomes[$0] })
    }

    // MARK: Reports

    private mutating func write(_ outcomes: [LogOutcome]) throws {
        var rows = ReportRows(isAnonymous: part.isAnonymous)
        for outcome in outcomes {
            for (number, report) in outcome.reports.enumerated() { rows.add(report, number, log: outcome.content.number) }
        }
        try stage(.signatures, rows.signatures.map { OutcomeRows.signature($0.value, id: $0.key) })
        try merge(.signatures, unless: "TRUE", StoreConflict.nothing)
        try stage(.images, rows.images.map { OutcomeRows.image($0.value, id: $0.key) })
        try merge(
            .images, unless: StoreConflict.isKnown(imageUnlessAnonymous: part.isAnonymous),
            StoreConflict.image(isAnonymous: part.isAnonymous))
        try stage(.stacks, rows.stacks.map { [$0.key, $0.value.stack.frames.count, $0.value.stack.unanswered] })
        let stacks = try merge(
            .stacks, unless: "stacks.unanswered <= new.unanswered",
            StoreConflict.stack + " WHERE excluded.unanswered < stacks.unanswered")
        try write(stacks: stacks.sorted(), of: rows)
        try load(.reports, rows.reports)
        try load(.loadedImages, rows.loadedImages)
        try load(.threads, rows.threads)
    }

    /// The rows of the reports of a part: those that several reports have are there once.
    private struct ReportRows {
        let isAnonymous: Bool
        var reports: [StatementArguments] = []
        var loadedImages: [StatementArguments] = []
        var threads: [StatementArguments] = []
        var signatures: [Int64: StoredSignature] = [:]
        var images: [Int64: LogOutcome.Image] = [:]
        var stacks: [Int64: (stack: LogOutcome.Stack, images: [Int64])] = [:]

        mutating func add(_ report: LogOutcome.Report, _ number: Int, log: Int64) {
            let id = OutcomeRows.key(ofReport: number, log: log)
            let signature = OutcomeRows.key(report.signature)
            signatures[signature] = report.signature
            reports.append(OutcomeRows.report(report, id: id, number: number, log: log, signature: signature))
            let keys = report.images.map { OutcomeRows.key($0.image) }
            var loaded: Set<Int64> = []
            for (key, image) in zip(keys, report.images) {
                images[key] = images[key].map { StoreConflict.joined($0, image.image, isAnonymous: isAnonymous) } ?? image.image
                if loaded.insert(key).inserted { loadedImages.append(OutcomeRows.loadedImage(image, id: key, report: id)) }
            }
            for (index, stack) in report.stacks.enumerated() {
                let key = OutcomeRows.key(stack.frames, keys)
                if stack.unanswered < stacks[key]?.stack.unanswered ?? .max { stacks[key] = (stack, keys) }
                threads.append(OutcomeRows.thread(stack, number: index, report: id, stack: key))
            }
        }
    }

    private mutating func write(stacks: [Int64], of rows: ReportRows) throws {
        // The stored rows have fewer resolved frames.
        for table in [StoreTable.functions, .frames] {
            let removed = "DELETE FROM \(table.name) WHERE stack IN (SELECT value FROM json_each(?)) RETURNING stack"
            if try !keys(removed, [Self.list(stacks)]).isEmpty { replacesRows = true }
        }
        var stackRows = StackRows()
        for key in stacks {
            guard let (stack, images) = rows.stacks[key] else { continue }
            stackRows.add(stack, key: key, images)
        }
        for (table, rows) in [(StoreTable.texts, stackRows.texts), (.frameKinds, stackRows.kinds)] where !rows.isEmpty {
            try stage(table, rows)
            try merge(table, unless: "TRUE", StoreConflict.nothing)
        }
        try load(.frames, stackRows.frames)
        try load(.functions, stackRows.functions)
    }

    // MARK: Files

    private func writeFiles() throws {
        guard !part.files.isEmpty else { return }
        // If a path occurs twice, the last one counts.
        let files = Dictionary(part.files.map { ($0.path, $0) }) { _, last in last }
        try stage(.files, files.values.map(OutcomeRows.file))
        try database.cachedStatement(sql: StoreTable.files.merging + " ORDER BY path" + StoreConflict.file).execute()
        for file in part.files { try StoreNotes.removeBeginning(of: file, in: database) }
    }

    // MARK: Statements

    private func load(_ table: StoreTable, _ rows: [StatementArguments], into name: String? = nil) throws {
        guard !rows.isEmpty else { return }
        var rows = rows.makeIterator()
        try database.load(name ?? table.name, table.columns) { rows.next() }
    }

    private func stage(_ table: StoreTable, _ rows: [StatementArguments]) throws {
        try database.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS \(table.stage) ON COMMIT DELETE ROWS AS \(table.selection) WITH NO DATA")
        try load(table, rows, into: table.stage)
    }

    /// - Parameter unless: Condition for a stored row that is good enough; it is not locked.
    /// - Returns: the keys of the rows that were written.
    @discardableResult private func merge(_ table: StoreTable, unless: String, _ conflict: String) throws -> [Int64] {
        try keys(
            "\(table.merging) WHERE NOT EXISTS (SELECT 1 FROM \(table.name) WHERE \(table.name).id = new.id AND (\(unless))) ORDER BY id\(conflict) RETURNING id"
        )
    }

    private func keys(_ sql: String, _ arguments: StatementArguments = []) throws -> [Int64] {
        var keys: [Int64] = []
        try database.each(sql, arguments) { row in
            if let key = row.number(0) { keys.append(key) }
            return true
        }
        return keys
    }

    /// As `json_each` reads it.
    private static func list(_ keys: [Int64]) -> String { "[" + keys.map(String.init).joined(separator: ",") + "]" }
}

extension StoreError {
    static let sharedHash = StoreError(
        path: "logs", problem: "two logs share the first 63 bits of their hashes, and the second cannot be stored")
}
