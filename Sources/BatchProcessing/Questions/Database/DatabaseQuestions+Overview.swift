internal import Databases

extension DatabaseQuestions {
    package func overview(_ limits: QuestionLimits) throws(StoreError) -> StoreOverview {
        try read { database in
            var overview = StoreOverview()
            overview.files = try database.count("SELECT count(*) FROM files")
            overview.logs = try database.count("SELECT count(*) FROM logs")
            overview.logsWithoutTrace = try database.count("SELECT count(*) FROM logs WHERE result = 'no-trace'")
            overview.unreadableLogs = try database.count("SELECT count(*) FROM logs WHERE result = 'unreadable'")
            overview.unreadFiles = try database.count("SELECT count(*) FROM unread")
            overview.groups = try database.count("SELECT count(*) FROM crash_groups")
            overview.reports = try database.count("SELECT count(*) FROM reports")
            overview.isGrouped = try database.count("SELECT grouped FROM state") == 1
            let bySignature = "SELECT count(*) FROM signatures JOIN reports ON signature = signatures.id"
            overview.reportsLackingSymbols = try database.count(bySignature + " WHERE lacks_symbols = 1")
            overview.reportsWithoutStack = try database.count(bySignature + " WHERE absence IS NOT NULL")
            overview.ungroupedReports =
                overview.reports - overview.reportsWithoutStack
                - (try database.count(bySignature + " WHERE crash_group IS NOT NULL AND absence IS NULL"))
            overview.reportsWithoutInstant = try database.count("SELECT count(*) FROM reports WHERE instant IS NULL")
            // Two queries, each of which the index resolves at its end.
            if let row = try Row.fetchOne(
                database, sql: "SELECT (SELECT min(instant) FROM reports), (SELECT max(instant) FROM reports)")
            {
                overview.first = row.number(0)
                overview.last = row.number(1)
            }
            let (wanted, isWanted) = wantedStacks
            let sums = "\(wanted)SELECT sum(frames), sum(unanswered) FROM stacks WHERE id \(isWanted)"
            if let row = try Row.fetchOne(database, sql: sums) {
                overview.frames = row.count(0)
                overview.unresolvedFrames = row.count(1)
            }
            overview.namedFrames = try database.count(
                "\(wanted)SELECT count(*) FROM frames WHERE reason IS NOT NULL AND printed IS NOT NULL AND stack \(isWanted)")
            (overview.missingImages, overview.missingImageCount) = try Self.missingImages(
                database, ofGroup: nil, isFiltered: !filter.isEmpty, limit: limits.missingImages)
            overview.unread = try Self.unread(database, limit: limits.unreadFiles)
            overview.runs = try Self.runs(database, limit: limits.runs)
            return overview
        }
    }

    /// Prefix of a query, and the condition for the stacks of the wanted reports: `stack IN (…)`.
    /// They are collected once, not again for each stack.
    var wantedStacks: (prefix: String, condition: String) {
        guard !filter.isEmpty else { return ("", "IS NOT NULL") }
        return (
            "WITH wanted_stacks AS MATERIALIZED (SELECT DISTINCT stack FROM threads JOIN reports ON reports.id = report) ",
            "IN (SELECT stack FROM wanted_stacks)"
        )
    }

    private static func unread(_ database: any DatabaseConnection, limit: Int) throws -> [UnreadFile] {
        var files: [UnreadFile] = []
        let sql = """
            SELECT path, problem FROM unread UNION ALL SELECT path, coalesce(problems, '') FROM logs JOIN files ON log = logs.id WHERE result = 'unreadable'
            ORDER BY path LIMIT ?
            """
        try database.each(sql, [limit]) { row in
            files.append(UnreadFile(path: row.text(0) ?? "", problem: row.text(1) ?? ""))
            return true
        }
        return files
    }

    private static func runs(_ database: any DatabaseConnection, limit: Int) throws -> [RecordedRun] {
        var runs: [RecordedRun] = []
        try database.each("SELECT id, began, ended, version, roots, logs FROM runs ORDER BY id DESC LIMIT ?", [limit]) { row in
            runs.append(
                RecordedRun(
                    id: row.number(0) ?? 0, began: row.number(1) ?? 0, ended: row.number(2), version: row.text(3) ?? "",
                    roots: (row.text(4) ?? "").split(separator: "\n").map(String.init),
                    logs: row.number(5).flatMap { Int(exactly: $0) }))
            return true
        }
        return runs
    }
}
