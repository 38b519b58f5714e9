internal import Databases

extension DatabaseQuestions {
    package func reportCount(since: Int64?) throws(StoreError) -> Int {
        try read { database in
            guard let since else { return try database.count("SELECT count(*) FROM reports") }
            return try database.count("SELECT count(*) FROM reports WHERE instant >= ?", [since])
        }
    }

    package func groups(_ order: GroupOrder, since: Int64?, limit: Int) throws(StoreError) -> [GroupSummary] {
        try read { database in
            let column =
                switch order {
                case .reports: "reports"
                case .logs: "logs"
                case .last: "last"
                case .first: "first"
                }
            var groups: [GroupSummary] = []
            if let since {
                // The time when a group was first seen takes all its reports into account. A group
                // is new if it begins in the period.
                let sql = """
                    WITH seen AS (
                        SELECT crash_group, count(*) AS reports, count(DISTINCT log) AS logs, max(instant) AS last FROM reports JOIN signatures ON signatures.id = signature
                        WHERE instant >= ? AND crash_group IS NOT NULL GROUP BY crash_group)
                    SELECT g.id, g.title, s.family, s.words, s.lacks_symbols, seen.reports, seen.logs, g.first, seen.last, g.example
                    FROM seen JOIN crash_groups AS g ON g.id = seen.crash_group JOIN signatures AS s ON s.id = g.leader
                    ORDER BY \(column == "first" ? "g" : "seen").\(column) DESC NULLS LAST, seen.reports DESC, g.id LIMIT ?
                    """
                try database.each(sql, [since, limit]) { row in
                    groups.append(Self.summary(row))
                    return true
                }
            } else {
                try database.each(Self.summaries + " ORDER BY g.\(column) DESC NULLS LAST, g.reports DESC, g.id LIMIT ?", [limit]) { row in
                    groups.append(Self.summary(row))
                    return true
                }
            }
            for index in groups.indices { try Self.addVersions(database, to: &groups[index], since: since) }
            return groups
        }
    }

    static let summaries = """
        SELECT g.id, g.title, s.family, s.words, s.lacks_symbols, g.reports, g.logs, g.first, g.last, g.example
        FROM crash_groups AS g JOIN signatures AS s ON s.id = g.leader
        """

    static func summary(_ row: Row) -> GroupSummary {
        GroupSummary(
            id: row.text(0) ?? "", title: row.text(1) ?? "", family: row.text(2) ?? "", kindLabel: row.text(3) ?? "",
            lacksSymbols: row.number(4) == 1, reports: row.count(5), logs: row.count(6), first: row.number(7), last: row.number(8),
            versions: [], versionCount: 0, example: row.number(9) ?? 0)
    }

    static func addVersions(_ database: any DatabaseConnection, to group: inout GroupSummary, since: Int64? = nil) throws {
        let (versions, count) = try tallies(database, "version", ofGroup: group.id, since: since, limit: 5)
        group.versions = versions
        group.versionCount = count
    }

    /// How many reports have each value of a column, and how many values there are.
    /// - Parameter column: one of ours, never a text from outside.
    static func tallies(_ database: any DatabaseConnection, _ column: String, ofGroup id: String?, since: Int64? = nil, limit: Int) throws
        -> (
            [Tally], Int
        )
    {
        let source = id == nil ? "reports" : "signatures JOIN reports ON signature = signatures.id"
        var conditions: [String] = []
        var arguments = StatementArguments()
        if let id {
            conditions.append("crash_group = ?")
            arguments += [id]
        }
        if let since {
            conditions.append("instant >= ?")
            arguments += [since]
        }
        let condition = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        var tallies: [Tally] = []
        var count = 0
        // The window counts the rows before the limit cuts them off.
        let sql = """
            SELECT \(column), count(*), count(*) OVER () FROM \(source)\(condition) GROUP BY \(column) ORDER BY count(*) DESC, \(column) IS NULL, \(column) LIMIT ?
            """
        try database.each(sql, arguments + [limit]) { row in
            tallies.append(Tally(value: row.text(0), count: row.count(1)))
            count = row.count(2)
            return true
        }
        return (tallies, count)
    }

    package func match(group beginning: String) throws(StoreError) -> GroupMatch {
        try read { database in
            let beginning = beginning.lowercased()
            var current: [String] = []
            // Identifiers are lower-case hexadecimal digits: `g` sorts after all that begin so, and
            // the index finds the range.
            try database.each(
                "SELECT id FROM crash_groups WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", [beginning, beginning + "g"]
            ) {
                current.append($0.text(0) ?? "")
                return true
            }
            if current.count == 1 || current.first == beginning { return .found(id: current[0], former: nil) }
            if current.count > 1 { return .several(current) }
            var former: [(id: String, group: String)] = []
            try database.each(
                "SELECT id, crash_group FROM former_groups WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", [beginning, beginning + "g"]
            ) {
                former.append(($0.text(0) ?? "", $0.text(1) ?? ""))
                return true
            }
            guard let first = former.first else { return .none }
            guard first.id == beginning || former.allSatisfy({ $0.group == first.group }) else { return .several(former.map(\.id)) }
            return .found(id: first.group, former: first.id)
        }
    }
}
