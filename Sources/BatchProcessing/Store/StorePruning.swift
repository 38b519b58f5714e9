package import BinaryPrimitives
internal import Databases

/// Which logs' reports a store no longer keeps: those all of whose reports meet every condition that is given.
package struct PruneConditions: Sendable, Hashable {
    /// Nanoseconds since 1970 in UTC: only reports before this instant. A report without a timestamp has the time of its file.
    package var before: Int64?
    package var filter: ReportFilter
    /// Only reports of this group, by its whole identifier.
    package var group: String?
    /// The example of each group stays.
    package var keepsRepresentatives: Bool

    package init(before: Int64? = nil, filter: ReportFilter = ReportFilter(), group: String? = nil, keepsRepresentatives: Bool = false) {
        self.before = before
        self.filter = filter
        self.group = group
        self.keepsRepresentatives = keepsRepresentatives
    }

    /// The condition for `reports` of a log `logs`, and its arguments.
    fileprivate func condition(_ schema: String) -> (sql: String, arguments: [ColumnValue]) {
        var parts = filter.isEmpty ? [] : [filter.condition(schema)]
        var arguments: [ColumnValue] = []
        if let before {
            parts.append("coalesce(reports.instant, (SELECT max(modified) FROM files WHERE files.log = reports.log)) < CAST(? AS INTEGER)")
            arguments.append(.integer(before))
        }
        if let group {
            parts.append("reports.signature IN (SELECT id FROM signatures WHERE crash_group = ?)")
            arguments.append(.text(group))
        }
        return (parts.isEmpty ? "TRUE" : parts.joined(separator: " AND "), arguments)
    }
}

/// Numbers of logs and reports that were removed from a store, or would be.
package struct PruneCounts: Sendable, Hashable {
    package var logs = 0
    package var reports = 0
}

extension DatabaseStore {
    /// Logs whose reports are removed in one transaction: an interrupted run has removed all of some logs, and the next goes on.
    private static let logsPerStep = 500

    /// Counts what `prune` would remove.
    package func countPruned(_ conditions: PruneConditions) throws(StoreError) -> PruneCounts {
        try read { database in
            let (sql, arguments) = Self.prunedLogs(conditions, database.mainSchema)
            var counts = PruneCounts()
            try database.each(
                "SELECT count(*) AS logs, coalesce(sum((SELECT count(*) FROM reports WHERE log = logs.id)), 0) AS reports FROM logs WHERE \(sql)",
                StatementArguments(arguments)
            ) { row in
                counts = PruneCounts(logs: row.count(0), reports: row.count(1))
                return true
            }
            return counts
        }
    }

    /// Removes the reports of logs, then makes the groups of those that stay. The logs stay noted, so that a run does not read them again.
    /// - Returns: what was removed.
    package func prune(_ conditions: PruneConditions) throws(StoreError) -> PruneCounts {
        // An interrupted run may have left groups without examples.
        try group()
        var counts = PruneCounts()
        var last = Int64.min
        while true {
            let step = try write { database in try Self.pruneStep(conditions, after: last, in: database) }
            guard let stepLast = step.last else { break }
            last = stepLast
            counts.logs += step.counts.logs
            counts.reports += step.counts.reports
        }
        try group()
        return counts
    }

    /// Gives the file system what removed rows took. A server does so itself.
    package func compact() throws(StoreError) {
        guard !location.isServer else { return }
        try Self.attempt(location.path) {
            let database = try location.openToWrite(erases: false)
            try database.execute(sql: "VACUUM")
            try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// The condition for `logs`, and its arguments. A condition is not met by a report for which its value is not known (NULL).
    private static func prunedLogs(_ conditions: PruneConditions, _ schema: String) -> (sql: String, arguments: [ColumnValue]) {
        let (condition, arguments) = conditions.condition(schema)
        var sql = """
            result = 'answered' AND EXISTS (SELECT 1 FROM reports WHERE log = logs.id)
            AND NOT EXISTS (SELECT 1 FROM reports WHERE log = logs.id AND (\(condition)) IS NOT TRUE)
            """
        if conditions.keepsRepresentatives {
            sql += " AND NOT EXISTS (SELECT 1 FROM crash_groups JOIN reports ON reports.id = example WHERE log = logs.id)"
        }
        return (sql, arguments)
    }

    /// Removes the reports of the next logs after one.
    /// - Returns: the last of them; `nil` where there are no more.
    private static func pruneStep(
        _ conditions: PruneConditions, after last: Int64, in database: any DatabaseConnection
    ) throws -> (last: Int64?, counts: PruneCounts) {
        var logs: [Int64] = []
        let (condition, arguments) = prunedLogs(conditions, database.mainSchema)
        let sql = "SELECT id FROM logs WHERE id > CAST(? AS INTEGER) AND \(condition) ORDER BY id LIMIT \(logsPerStep)"
        try database.each(sql, StatementArguments([.integer(last)] + arguments)) { row in
            logs.append(row["id"])
            return true
        }
        guard !logs.isEmpty else { return (nil, PruneCounts()) }
        let list: StatementArguments = ["[" + logs.map(String.init).joined(separator: ",") + "]"]
        let isListed = "IN (SELECT value FROM json_each(?))"
        let reports = try database.count("SELECT count(*) FROM reports WHERE log \(isListed)", list)
        for table in ["threads", "loaded_images"] {
            try database.execute(
                sql: "DELETE FROM \(table) WHERE report IN (SELECT id FROM reports WHERE log \(isListed))", arguments: list)
        }
        try database.execute(sql: "DELETE FROM reports WHERE log \(isListed)", arguments: list)
        try database.execute(
            sql: "UPDATE logs SET result = '\(prunedResult)', problems = NULL, unanswered = 0 WHERE id \(isListed)", arguments: list)
        try database.execute(sql: "UPDATE state SET grouped = 0 WHERE grouped = 1")
        return (logs.last, PruneCounts(logs: logs.count, reports: reports))
    }
}
