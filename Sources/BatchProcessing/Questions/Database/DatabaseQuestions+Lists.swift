internal import Databases

extension DatabaseQuestions: ReportLists {
    package func groupIDs() throws(StoreError) -> [String] {
        try read { database in
            var ids: [String] = []
            try database.each("SELECT id FROM crash_groups ORDER BY reports DESC, id") { row in
                ids.append(row.text(0) ?? "")
                return true
            }
            return ids
        }
    }

    package func forEachHour(
        ofGroup id: String?, by column: ValueColumn?, _ body: (_ start: Int64, _ value: String?, _ count: Int) -> Void
    ) throws(StoreError) {
        let (condition, arguments) = Self.condition(id.map { .group($0) } ?? .all)
        let tables = id == nil ? "reports" : "signatures JOIN reports ON signature = signatures.id"
        // Division rounds toward zero; hours before 1970 begin below.
        let sql = """
            SELECT instant / 3600000000000 - CASE WHEN instant % 3600000000000 < 0 THEN 1 ELSE 0 END AS hour, \(column?.rawValue ?? "NULL") AS value, count(*)
            FROM \(tables) WHERE instant IS NOT NULL AND \(condition) GROUP BY hour, value ORDER BY hour
            """
        try read { database in
            try database.each(sql, arguments) { row in
                body((row.number(0) ?? 0) &* 3_600_000_000_000, row.text(1), row.count(2))
                return true
            }
        }
    }

    package func leadingStack(ofGroup id: String, frames: Int) throws(StoreError) -> [NamedFrame] {
        try read { database in
            let sql = "SELECT \(Self.chosenStack) FROM crash_groups JOIN reports ON reports.id = example WHERE crash_groups.id = ?"
            guard let stack = try Int64.fetchOne(database, sql: sql, arguments: [id]) else { return [] }
            var result: [NamedFrame] = []
            try Self.eachFrame(database, ofStack: stack, rows: frames) { frame in
                guard result.count < frames else { return false }
                result.append(frame)
                return true
            }
            return result
        }
    }

    package func messages(ofGroup id: String, limit: Int) throws(StoreError) -> ([Tally], Int) {
        try read { database in
            var tallies: [Tally] = []
            var count = 0
            let sql = """
                SELECT message, count(*), count(*) OVER () FROM signatures JOIN reports ON signature = signatures.id
                WHERE crash_group = ? AND message IS NOT NULL GROUP BY message ORDER BY count(*) DESC, message LIMIT ?
                """
            try database.each(sql, [id, limit]) { row in
                tallies.append(Tally(value: row.text(0), count: row.count(1)))
                count = row.count(2)
                return true
            }
            return (tallies, count)
        }
    }

    package func forEachReport(_ selection: ReportSelection, by order: ReportOrder, _ body: (ListedReport) -> Bool)
        throws(StoreError)
    {
        let (condition, values) = Self.condition(selection)
        var arguments = values
        var tables = "reports LEFT JOIN signatures ON signatures.id = signature LEFT JOIN crash_groups AS g ON g.id = crash_group"
        if case .group = selection {
            tables = "signatures JOIN reports ON signature = signatures.id JOIN crash_groups AS g ON g.id = crash_group"
        }
        var section = "NULL"
        var sorting = ""
        var prefix = ""
        func column(_ name: String) {
            section = "reports." + name
            sorting = "\(section) IS NULL, \(section), "
        }
        switch order {
        case .instant: break
        case .version:
            section = Self.programVersion
            sorting = "reports.version IS NULL, \(section), "
        case .system: column("system")
        case .device: column("device")
        case .message: column("message")
        case .stacks(let stacks):
            // The list of stacks as a table, which has an index of its own.
            prefix = "WITH wanted AS MATERIALIZED (SELECT value AS stack, key AS place FROM json_each(?)) "
            arguments = ["[" + stacks.map(String.init).joined(separator: ",") + "]"] + arguments
            tables += " LEFT JOIN wanted ON wanted.stack = \(Self.chosenStack)"
            section = "wanted.stack || ''"
            sorting = "place IS NULL, place, "
        }
        let sql = """
            \(prefix)SELECT reports.id, \(section), (SELECT min(path) FROM files WHERE files.log = reports.log), (SELECT count(*) FROM files WHERE files.log = reports.log),
            reports.number, g.id, g.title, reports.process, reports.version, reports.system, reports.device, reports.instant, reports.time
            FROM \(tables) WHERE \(condition) ORDER BY \(sorting)reports.instant IS NULL, reports.instant, reports.id
            """
        try read { database in
            try database.each(sql, arguments, isLarge: true) { row in
                body(
                    ListedReport(
                        id: row.number(0) ?? 0, section: row.text(1), path: row.text(2) ?? "", pathCount: row.count(3),
                        number: row.count(4),
                        group: row.text(5), title: row.text(6), process: row.text(7), version: row.text(8), system: row.text(9),
                        device: row.text(10), instant: row.number(11), time: row.text(12)))
            }
        }
    }

    package func forEachLog(_ selection: LogSelection, _ body: (ListedLog) -> Bool) throws(StoreError) {
        let reports = "(SELECT count(*) FROM reports WHERE reports.log = logs.id)"
        // A log that is at several paths is one.
        func once(_ result: String) -> String {
            """
            SELECT (SELECT min(path) FROM files WHERE files.log = logs.id), (SELECT count(*) FROM files WHERE files.log = logs.id), result, problems, \(reports)
            FROM logs WHERE result = '\(result)'
            """
        }
        let sql =
            switch selection {
            case .withoutTrace: once("no-trace") + " ORDER BY 1"
            case .unreadable: once("unreadable") + " UNION ALL SELECT path, 1, 'unreadable', problem, 0 FROM unread ORDER BY 1"
            }
        try read { database in
            try database.each(sql, isLarge: true) { row in
                body(
                    ListedLog(
                        path: row.text(0) ?? "", pathCount: row.count(1), result: row.text(2) ?? "", problem: row.text(3),
                        reports: row.count(4)))
            }
        }
    }

    /// Which rows of reports and their signatures are meant.
    private static func condition(_ selection: ReportSelection) -> (String, StatementArguments) {
        switch selection {
        case .all: ("TRUE", StatementArguments())
        case .group(let id): ("crash_group = ?", [id])
        case .lackingSymbols: ("lacks_symbols = 1", StatementArguments())
        case .withoutStack: ("absence IS NOT NULL", StatementArguments())
        case .ungrouped: ("crash_group IS NULL AND absence IS NULL", StatementArguments())
        }
    }
}
