internal import BinaryPrimitives
internal import Databases

extension DatabaseQuestions {
    /// Which reports are meant.
    enum Scope {
        case all
        case group(String)
        case report(Int64)
    }

    private static let columns = """
        SELECT reports.id, logs.content, reports.number, crash_groups.id, crash_groups.title, format, process, identifier, version, pid, platform, architecture, system, device, instant, time,
        cause_kind, cause_type, signal, message, fault_address, reports.log, meaning,
        (SELECT CASE WHEN count(*) = 1 THEN min(path) END FROM files WHERE files.log = reports.log)
        """

    package func forEachReport(ofGroup id: String?, _ body: (ReportReference) -> Bool) throws(StoreError) {
        try read { database in
            try Self.eachReport(database, id.map { .group($0) } ?? .all, limit: .max, paths: QuestionLimits().paths) { report, _ in
                body(report)
            }
        }
    }

    package func forEachFrame(ofGroup id: String?, _ body: (ReportReference, NamedFrame) -> Bool) throws(StoreError) {
        try read { database in
            var stacks = KeptStacks()
            try Self.eachReport(
                database, id.map { .group($0) } ?? .all, limit: .max, paths: QuestionLimits().paths, extra: Self.chosenStack
            ) { report, row in
                guard let stack = row.number(Self.extraColumn) else { return true }
                return try stacks.frames(of: stack, in: database).allSatisfy { body(report, $0) }
            }
        }
    }

    /// The frames of the last stacks: most reports of a group have the same.
    private struct KeptStacks {
        private var kept = RecentValues<Int64, [NamedFrame]>(CacheBounds(count: 1000, bytes: 10_000 * MemoryLayout<NamedFrame>.stride))

        mutating func frames(of stack: Int64, in database: any DatabaseConnection) throws -> [NamedFrame] {
            if let frames = kept.value(for: stack) { return frames }
            var frames: [NamedFrame] = []
            try eachFrame(database, ofStack: stack, rows: .max) { frame in
                frames.append(frame)
                return true
            }
            kept.insert(frames, for: stack, size: frames.count * MemoryLayout<NamedFrame>.stride)
            return frames
        }
    }

    private static let extraColumn = 24

    /// - Parameter extra: one more column, of which the row is handed on.
    private static func eachReport(
        _ database: any DatabaseConnection, _ scope: Scope, limit: Int, paths: Int, extra: String = "NULL",
        _ body: (ReportReference, Row) throws -> Bool
    ) throws {
        let columns = "\(columns), \(extra)"
        // Most logs have one path; those of others are looked up by themselves.
        let countOfPaths = try database.cachedStatement(sql: "SELECT count(*) FROM files WHERE log = ?")
        let pathsOfLog = try database.cachedStatement(sql: "SELECT path FROM files WHERE log = ? ORDER BY path LIMIT ?")
        let joins = "JOIN logs ON logs.id = reports.log LEFT JOIN crash_groups ON crash_groups.id = crash_group"
        let byReport = "\(columns) FROM reports LEFT JOIN signatures ON signatures.id = signature \(joins)"
        let sql: String
        var arguments = StatementArguments()
        switch scope {
        case .all: sql = byReport + " ORDER BY reports.id LIMIT ?"
        case .group(let id):
            sql =
                "\(columns) FROM signatures JOIN reports ON signature = signatures.id \(joins) WHERE crash_group = ? ORDER BY instant DESC NULLS LAST, reports.id LIMIT ?"
            arguments += [id]
        case .report(let id):
            sql = byReport + " WHERE reports.id = ? LIMIT ?"
            arguments += [id]
        }
        let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments + [limit], isLarge: limit == .max)
        defer { rows.end() }
        while let row = try rows.next() {
            var report = reference(row)
            if let path = row.text(23) {
                report.paths = [path]
                report.pathCount = 1
            } else {
                let log = row.number(21) ?? 0
                report.pathCount = try Int.fetchOne(countOfPaths, arguments: [log]) ?? 0
                let files = try Row.fetchCursor(pathsOfLog, arguments: [log, paths])
                while let file = try files.next() { report.paths.append(file.text(0) ?? "") }
            }
            guard try body(report, row) else { return }
        }
    }

    private static func reference(_ row: Row) -> ReportReference {
        ReportReference(
            id: row.number(0) ?? 0, log: row.text(1) ?? "", number: row.count(2), paths: [], pathCount: 0, group: row.text(3),
            title: row.text(4), format: row.text(5) ?? "", process: row.text(6), identifier: row.text(7), version: row.text(8),
            pid: row.number(9), platform: row.text(10), architecture: row.text(11), system: row.text(12), device: row.text(13),
            instant: row.number(14), time: row.text(15), causeKind: row.text(16), causeType: row.text(17), signal: row.text(18),
            message: row.text(19), faultAddress: row.bits(20), meaning: row.text(22))
    }

    static func reference(_ database: any DatabaseConnection, ofReport id: Int64, _ limits: QuestionLimits) throws -> ReportReference? {
        var found: ReportReference?
        try eachReport(database, .report(id), limit: 1, paths: limits.paths) { report, _ in
            found = report
            return false
        }
        return found
    }

    /// The group's own example, then its latest reports.
    static func examples(_ database: any DatabaseConnection, of group: GroupSummary, _ limits: QuestionLimits) throws -> [ReportReference] {
        var examples: [ReportReference] = []
        func add(_ scope: Scope, limit: Int) throws {
            try eachReport(database, scope, limit: limit, paths: limits.paths) { report, _ in
                if !examples.contains(where: { $0.id == report.id }) { examples.append(report) }
                return true
            }
        }
        try add(.report(group.example), limit: 1)
        try add(.group(group.id), limit: limits.examples)
        return Array(examples.prefix(limits.examples))
    }
}
