internal import Databases

extension DatabaseQuestions {
    /// `ProgramVersion.key`; NULL where there is no version.
    static let programVersion = "(coalesce(reports.process, '') || char(1) || reports.version)"

    package func versions(ofGroup id: String?, limit: Int) throws(StoreError) -> [Tally] {
        try read { try Self.tallies($0, Self.programVersion, ofGroup: id, limit: limit).0 }
    }

    package func firstVersion(ofGroup id: String) throws(StoreError) -> String? {
        // Materialized, for PostgreSQL may otherwise go through all reports in the order of their
        // times until one is of the group. With 100,000 reports that was four fifths of the time of
        // `report`.
        let sql = """
            WITH dated AS MATERIALIZED (
                SELECT version, instant, reports.id AS id FROM signatures JOIN reports ON signature = signatures.id
                WHERE crash_group = ? AND version IS NOT NULL AND instant IS NOT NULL)
            SELECT version FROM dated ORDER BY instant, id LIMIT 1
            """
        return try read { try String.fetchOne($0, sql: sql, arguments: [id]) }
    }

    package func groups(by column: ValueColumn, values: Int, groups: Int) throws(StoreError) -> [ValueGroups] {
        let value = column == .version ? Self.programVersion : "reports." + column.rawValue
        let sql = """
            WITH counted AS MATERIALIZED (
                SELECT \(value) AS value, crash_group, count(*) AS reports FROM signatures JOIN reports ON signature = signatures.id
                WHERE crash_group IS NOT NULL AND \(value) IS NOT NULL GROUP BY value, crash_group),
            most AS (SELECT value, sum(reports) AS total FROM counted GROUP BY value ORDER BY total DESC, value LIMIT ?)
            SELECT value, crash_group, reports FROM (
                SELECT counted.value, crash_group, reports, total,
                    row_number() OVER (PARTITION BY counted.value ORDER BY reports DESC, crash_group) AS place
                FROM counted JOIN most ON most.value = counted.value) AS placed
            WHERE place <= ? ORDER BY total DESC, value, place
            """
        return try read { database in
            var result: [ValueGroups] = []
            try database.each(sql, [values, groups]) { row in
                let value = row.text(0) ?? ""
                if result.last?.value != value { result.append(ValueGroups(value: value, shares: [])) }
                result[result.count - 1].shares.append(.init(group: row.text(1) ?? "", reports: row.count(2)))
                return true
            }
            return result
        }
    }

    package func unresolvedImages(inStacks stacks: [Int64]?, limit: Int) throws(StoreError) -> ([UnresolvedImage], Int) {
        var arguments = StatementArguments()
        var prefix = ""
        var condition = ""
        if let stacks {
            condition = " AND stack IN (SELECT value FROM json_each(?))"
            arguments = ["[" + stacks.map(String.init).joined(separator: ",") + "]"]
        } else {
            (prefix, condition) = (wantedStacks.prefix, " AND stack " + wantedStacks.condition)
        }
        let sql = """
            \(prefix)SELECT name, identity, architecture, path, images.reason, unresolved, count(*) OVER ()
            FROM (SELECT image, count(*) AS unresolved FROM frames WHERE reason IS NOT NULL AND image IS NOT NULL\(condition) GROUP BY image) AS counted
            JOIN images ON images.id = image WHERE has_symbols = 0 AND images.reason IS NOT NULL
            ORDER BY unresolved DESC, name, identity NULLS FIRST, architecture NULLS FIRST, path NULLS FIRST LIMIT ?
            """
        return try read { database in
            var images: [UnresolvedImage] = []
            var count = 0
            try database.each(sql, arguments + [limit]) { row in
                let image = MissingImage(
                    name: row.text(0) ?? "", identity: row.text(1), architecture: row.text(2), path: row.text(3), reason: row.text(4),
                    reports: 0)
                images.append(UnresolvedImage(image: image, frames: row.count(5)))
                count = row.count(6)
                return true
            }
            return (images, count)
        }
    }

    package func report(_ id: Int64, _ limits: QuestionLimits) throws(StoreError) -> FullReport? {
        try read { database in
            guard let reference = try Self.reference(database, ofReport: id, limits) else { return nil }
            var report = FullReport(reference: reference, stacks: [])
            var stacks: [Int64] = []
            let sql = """
                SELECT role, thread, name, crashed, frames, stack FROM threads JOIN stacks ON stacks.id = stack WHERE report = ? ORDER BY crashed DESC, number LIMIT ?
                """
            try database.each(sql, [id, limits.stacks]) { row in
                report.stacks.append(
                    FullReport.Stack(
                        role: row.text(0) ?? "", thread: row.count(1), name: row.text(2), crashed: row.number(3) == 1, rows: row.count(4),
                        frames: []))
                stacks.append(row.number(5) ?? 0)
                return true
            }
            let isMarked = report.stacks.contains(where: \.crashed)
            for (index, stack) in stacks.enumerated() {
                // Other threads are read for where they wait, which is at their inner end.
                let isMain = report.stacks[index].crashed || report.stacks[index].role == "exception" || !isMarked
                let limit = isMain ? limits.frames : limits.frames / 4
                try Self.eachFrame(database, ofStack: stack, rows: limit) { frame in
                    report.stacks[index].frames.append(frame)
                    return report.stacks[index].frames.count < limit
                }
            }
            return report
        }
    }
}
