internal import BinaryPrimitives
internal import CrashLogModel
internal import Databases
internal import Reporting
internal import TestReports

/// Queries of reports: their rows, stacks and values.
extension DatabaseQueries {
    /// Which reports are meant.
    private enum Scope {
        case all
        case group(String)
        case report(Int64)
    }

    private static let columns = """
        SELECT reports.id, logs.content, reports.number, crash_groups.id, crash_groups.title, format, process, identifier, version, pid, platform, architecture, system, device, instant, time,
        cause_kind, cause_type, signal, message, fault_address, reports.log, meaning,
        (SELECT CASE WHEN count(*) = 1 THEN min(path) END FROM files WHERE files.log = reports.log), CASE WHEN instant IS NULL THEN \(fileTime) END
        """

    /// When the file of a report's log was last modified; of copies the earliest, as a copy may have
    /// the time at which it was made. NULL for times before 1980-01-02, which are no file's:
    /// archives that are made reproducibly have 0, or the first day of ZIP.
    private static let fileTime = "(SELECT min(modified) FROM files WHERE files.log = reports.log AND modified >= 315619200000000000)"

    /// The reports of a group, the latest first, or all by their numbers, one after the other until
    /// `body` wants no more.
    package func forEachReport(ofGroup id: String?, _ body: (ReportReference) -> Bool) throws(StoreError) {
        try read { database in
            try Self.eachReport(database, id.map { .group($0) } ?? .all, limit: .max, paths: QueryLimits().paths) { report, _ in
                body(report)
            }
        }
    }

    /// The frames of the stacks that groups are known by, report by report, one after the other
    /// until `body` wants no more.
    package func forEachFrame(ofGroup id: String?, _ body: (ReportReference, NamedFrame) -> Bool) throws(StoreError) {
        try read { database in
            var stacks = KeptStacks()
            try Self.eachReport(
                database, id.map { .group($0) } ?? .all, limit: .max, paths: QueryLimits().paths, extra: Self.chosenStack
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

    private static let extraColumn = 25

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
            message: row.text(19), faultAddress: row.bits(20), meaning: row.text(22), fileTime: row.number(24))
    }

    private static func reference(_ database: any DatabaseConnection, ofReport id: Int64, _ limits: QueryLimits) throws
        -> ReportReference?
    {
        var found: ReportReference?
        try eachReport(database, .report(id), limit: 1, paths: limits.paths) { report, _ in
            found = report
            return false
        }
        return found
    }

    /// The group's own example, then its latest reports.
    static func examples(_ database: any DatabaseConnection, of group: GroupSummary, _ limits: QueryLimits) throws -> [ReportReference] {
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

    // MARK: Stacks

    /// The stack that a report is known by, as `SignatureStack` chooses it: the exception's, else
    /// the crashed thread's, else the first thread's, else the first of the others.
    private static let chosenStack = """
        (SELECT stack FROM threads JOIN stacks ON stacks.id = stack WHERE report = reports.id AND frames > 0
        ORDER BY CASE WHEN role = 'exception' THEN 0 WHEN crashed = 1 THEN 1 WHEN role = 'thread' THEN 2 ELSE 3 END, number LIMIT 1)
        """

    /// Stacks that look alike are one: a log that lists no images has other raw addresses in each
    /// process.
    static func stacks(_ database: any DatabaseConnection, ofGroup id: String, _ limits: QueryLimits) throws -> ([GroupStack], Int) {
        var stacksByHash: [StackHash: GroupStack] = [:]
        for stack in try distinctStacks(database, ofGroup: id) {
            let hash = try stackHash(database, ofStack: stack.id)
            // The first of the stacks that look alike is used: it has the most reports.
            stacksByHash[hash, default: stack].reports += stacksByHash[hash] == nil ? 0 : stack.reports
            stacksByHash[hash]?.alike.append(stack.id)
        }
        var stacks = stacksByHash.values.sorted { ($1.reports, $0.id) < ($0.reports, $1.id) }
        stacks.removeLast(max(0, stacks.count - limits.stacks))
        for index in stacks.indices {
            try eachFrame(database, ofStack: stacks[index].id, rows: limits.frames) { frame in
                guard stacks[index].frames.count < limits.frames else { return false }
                stacks[index].frames.append(frame)
                return true
            }
        }
        return (stacks, stacksByHash.count)
    }

    /// Without their frames, those of most reports first.
    private static func distinctStacks(_ database: any DatabaseConnection, ofGroup id: String) throws -> [GroupStack] {
        var stacks: [GroupStack] = []
        // Materialised, so that each report's stack is chosen once.
        let sql = """
            WITH each_report AS MATERIALIZED (
                SELECT \(chosenStack) AS chosen, reports.id AS report FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group = ?)
            SELECT chosen, count(*), min(report), (SELECT frames FROM stacks WHERE stacks.id = chosen)
            FROM each_report WHERE chosen IS NOT NULL GROUP BY chosen ORDER BY count(*) DESC, chosen
            """
        try database.each(sql, [id]) { row in
            stacks.append(
                GroupStack(id: row.number(0) ?? 0, reports: row.count(1), example: row.number(2) ?? 0, rows: row.count(3), frames: []))
            return true
        }
        return stacks
    }

    /// 128-bit hash of a stack as it is shown. Texts would need too much memory for a group of many
    /// thousand different stacks.
    private struct StackHash: Hashable {
        var first: UInt64?
        var second: UInt64?

        init(_ text: String) {
            first = UInt64(StableHash.text(text), radix: 16)
            second = UInt64(StableHash.text(text, start: 0x6c62_272e_07bb_0142), radix: 16)
        }
    }

    /// The frames of stacks with their functions. Not by the views: SQLite would make all rows of
    /// the one that is joined on the right.
    private static let frameTables = """
        frame_rows AS f JOIN frame_kinds AS k ON k.id = f.frame_kind LEFT JOIN texts AS printed ON printed.id = f.printed LEFT JOIN images AS i ON i.id = k.image
        LEFT JOIN function_rows AS c ON c.stack = f.stack AND c.frame = f.number LEFT JOIN texts AS name ON name.id = c.name LEFT JOIN texts AS file ON file.id = c.file
        """

    private static func stackHash(_ database: any DatabaseConnection, ofStack stack: Int64) throws -> StackHash {
        let sql = """
            SELECT f.number, coalesce(name.text, printed.text), file.text, c.line, c.column, c.inlined, i.name, f.offset, f.address
            FROM \(frameTables)
            WHERE f.stack = ? ORDER BY f.number, c.depth
            """
        var text = ""
        try database.each(sql, [stack]) { row in
            let (function, module) = (row.text(1), row.text(6))
            var parts = [function, row.text(2), module]
            for index in [0, 3, 4, 5] { parts.append(row.number(index).map { String($0) }) }
            // A frame with a name does not need its offset. A frame with neither name nor image has
            // only its address.
            if function == nil { parts.append((module == nil ? row.number(8) : row.number(7)).map { String($0) }) }
            for part in parts { text += (part ?? "\u{1}") + "\u{2}" }
            text += "\u{3}"
            return true
        }
        return StackHash(text)
    }

    /// The frames of a stack, innermost first.
    private static func eachFrame(_ database: any DatabaseConnection, ofStack stack: Int64, rows: Int, _ body: (NamedFrame) -> Bool) throws
    {
        let rule = OwnCodeRule()
        let sql = """
            SELECT f.number, k.kind, f.offset, f.address, printed.text, k.reason, i.name, i.path, name.text, file.text, c.line, c.column, c.inlined
            FROM \(frameTables)
            WHERE f.stack = ? AND f.number < ? ORDER BY f.number, c.depth
            """
        try database.each(sql, [stack, rows]) { row in
            let module = row.text(6)
            let file = row.text(9)
            let image = module.map { BinaryImage(name: $0, path: row.text(7)) }
            let location = file.map { SourceLocation(file: $0, line: row.count(10)) }
            let function = row.text(8) ?? row.text(4)
            return body(
                NamedFrame(
                    row: row.count(0), kind: row.text(1) ?? "", function: function, file: file, line: row.count(10),
                    column: row.count(11), module: module, offset: row.bits(2), address: row.bits(3), isInlined: row.number(12) == 1,
                    isOwn: (function != nil || image != nil) && rule.isOwn(location, image), reason: row.text(5)))
        }
    }

    // MARK: Values

    /// `ProgramVersion.key`; NULL where there is no version.
    private static let programVersion = "(coalesce(reports.process, '') || char(1) || reports.version)"

    /// How many reports there are of each version, those of one program by themselves. The value is
    /// `ProgramVersion.key`; unknown versions are counted together. `nil`: of all reports.
    package func versions(ofGroup id: String?, limit: Int) throws(StoreError) -> [Tally] {
        try read { try Self.tallies($0, Self.programVersion, ofGroup: id, limit: limit).0 }
    }

    /// The version of a group's first report that has a version and a timestamp.
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

    /// The values with most reports, and of each the groups with most reports.
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

    /// Images whose symbols would resolve frames, those that would resolve most first, and how many
    /// there are. Of the stacks that reports are known by each distinct one counts once.
    /// - Parameter stacks: only these; `nil`: all stacks of the store.
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
            FROM (SELECT image, count(*) AS unresolved FROM frame_rows JOIN frame_kinds ON frame_kinds.id = frame_kind WHERE reason IS NOT NULL AND image IS NOT NULL\(condition) GROUP BY image) AS counted
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

    /// A report with its stacks; `nil` where it is not there.
    package func report(_ id: Int64, _ limits: QueryLimits) throws(StoreError) -> FullReport? {
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

    // MARK: Lists

    /// The groups' identifiers, those of most reports first.
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

    /// How many reports there are of each hour, with its first instant (nanoseconds since 1970
    /// UTC), the earliest first; `nil`: of all reports.
    /// - Parameter column: count each value by itself.
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

    /// How many reports without a timestamp there are of each hour by the times of their files, with
    /// its first instant (nanoseconds since 1970 UTC), the earliest first; `nil`: of all reports.
    package func forEachFileHour(ofGroup id: String?, _ body: (_ start: Int64, _ count: Int) -> Void) throws(StoreError) {
        let (condition, arguments) = Self.condition(id.map { .group($0) } ?? .all)
        let tables = id == nil ? "reports" : "signatures JOIN reports ON signature = signatures.id"
        let sql = """
            SELECT written / 3600000000000 AS hour, count(*) FROM (SELECT \(Self.fileTime) AS written FROM \(tables) WHERE instant IS NULL AND \(condition)) AS undated
            WHERE written IS NOT NULL GROUP BY hour ORDER BY hour
            """
        try read { database in
            try database.each(sql, arguments) { row in
                body((row.number(0) ?? 0) &* 3_600_000_000_000, row.count(1))
                return true
            }
        }
    }

    /// The stack of a group's representative report, innermost first.
    /// - Parameter frames: at most so many.
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

    /// The messages of a group's reports, the most frequent first, and how many there are; those
    /// without one do not count.
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

    /// Reports in an order, until `body` wants no more.
    /// - Parameter usesFileTimes: Sort reports without a timestamp by the time of their file; else they
    ///   come last.
    package func forEachReport(
        _ selection: ReportSelection, by order: ReportOrder, usesFileTimes: Bool = false, _ body: (ListedReport) -> Bool
    ) throws(StoreError) {
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
        let time = usesFileTimes ? "coalesce(reports.instant, \(Self.fileTime))" : "reports.instant"
        let sql = """
            \(prefix)SELECT reports.id, \(section), (SELECT min(path) FROM files WHERE files.log = reports.log), (SELECT count(*) FROM files WHERE files.log = reports.log),
            reports.number, g.id, g.title, reports.process, reports.version, reports.system, reports.device, reports.instant, reports.time,
            CASE WHEN reports.instant IS NULL THEN \(Self.fileTime) END
            FROM \(tables) WHERE \(condition)
            ORDER BY \(sorting)\(time) IS NULL, \(time), reports.id
            """
        try read { database in
            try database.each(sql, arguments, isLarge: true) { row in
                body(
                    ListedReport(
                        id: row.number(0) ?? 0, section: row.text(1), path: row.text(2) ?? "", pathCount: row.count(3),
                        number: row.count(4),
                        group: row.text(5), title: row.text(6), process: row.text(7), version: row.text(8), system: row.text(9),
                        device: row.text(10), instant: row.number(11), time: row.text(12), fileTime: row.number(13)))
            }
        }
    }

    /// Logs by their paths, until `body` wants no more.
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
        case .withoutTimestamp: ("reports.instant IS NULL", StatementArguments())
        case .ungrouped: ("crash_group IS NULL AND absence IS NULL", StatementArguments())
        }
    }
}
