internal import BinaryPrimitives
internal import Databases

/// Queries of a store, which is opened to be read: no query makes a store, or changes one, and a
/// run may go on beside it.
///
/// No result holds more than its limits allow, however much the store does. Larger results are
/// passed on row by row.
package final class DatabaseQueries: Sendable {
    private let path: String
    private let pool: DatabasePool
    private let filter: ReportFilter

    /// - Parameter path: a file, or a server's URI (`StoreLocation`).
    /// - Throws: `StoreError` where there is no such file, where it is no store, or one of another
    ///   version.
    package init(path: String, filter: ReportFilter = ReportFilter()) throws(StoreError) {
        self.path = path
        self.filter = filter
        let location = StoreLocation(path)
        guard location.isServer || PathKind(path: path) != nil else { throw Self.missing(path) }
        pool = try DatabaseStore.attempt(path) {
            let pool = try location.poolToRead()
            let migrations = StoreSchema.migrations(isServer: location.isServer)
            let (isEmpty, isNewer, isOlder) = try pool.read { database in
                (
                    try location.isServer && !database.hasTable("logs"), try migrations.hasBeenSuperseded(database),
                    try !migrations.isReadable(database)
                )
            }
            if isEmpty { throw Self.missing(path) }
            if isNewer { throw try pool.read { DatabaseStore.newer($0, path) } }
            if isOlder {
                throw StoreError(
                    path: path,
                    problem: "an older cairn wrote this store. To update it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
            }
            return filter.isEmpty ? pool : try location.poolToRead(filter)
        }
    }

    private static func missing(_ path: String) -> StoreError {
        let what = StoreLocation(path).isServer ? "no crash store in this database" : "no such file"
        return StoreError(path: path, problem: "\(what). To create it, run: cairn batch DIR --store \(ShellWord.quoted(path))")
    }

    /// Passes on each statement that is run, with its values: for tests of the cost of SQLite's
    /// queries.
    func trace(_ notify: @escaping @Sendable (String) -> Void) {
        try? pool.withDatabase { ($0 as? Database)?.trace(notify) }
    }

    func read<Value>(_ body: (any DatabaseConnection) throws -> Value) throws(StoreError) -> Value {
        try DatabaseStore.attempt(path) { try pool.read(body) }
    }

    // MARK: Whole store

    /// Contents of the store, and what is missing in it.
    package func overview(_ limits: QueryLimits) throws(StoreError) -> StoreOverview {
        try read { database in
            var overview = StoreOverview()
            overview.files = try database.count("SELECT count(*) FROM files")
            overview.logs = try database.count("SELECT count(*) FROM logs WHERE result <> '\(DatabaseStore.prunedResult)'")
            overview.logsWithoutTrace = try database.count("SELECT count(*) FROM logs WHERE result = 'no-trace'")
            overview.unreadableLogs = try database.count("SELECT count(*) FROM logs WHERE result = 'unreadable'")
            overview.unreadFiles = try database.count("SELECT count(*) FROM unread")
            overview.groups = try database.count("SELECT count(*) FROM crash_groups")
            overview.reports = try database.count("SELECT count(*) FROM reports")
            overview.programs = try database.count("SELECT count(DISTINCT process) FROM reports WHERE process <> ''")
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
            overview.frames = try database.count("\(wanted)SELECT sum(frames) FROM stacks WHERE id \(isWanted)")
            // Not by the view, which looks up the texts.
            let missing = """
                \(wanted)SELECT count(*), count(printed) FROM frame_rows JOIN frame_kinds ON frame_kinds.id = frame_kind
                WHERE reason IS NOT NULL AND stack \(isWanted)
                """
            if let row = try Row.fetchOne(database, sql: missing) {
                overview.namedFrames = row.count(1)
                overview.unresolvedFrames = row.count(0) - row.count(1)
            }
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

    // MARK: Groups

    /// How many reports there are from an instant on (nanoseconds since 1970 UTC); `nil`: at all.
    package func reportCount(since: Int64?) throws(StoreError) -> Int {
        try read { database in
            guard let since else { return try database.count("SELECT count(*) FROM reports") }
            return try database.count("SELECT count(*) FROM reports WHERE instant >= ?", [since])
        }
    }

    /// The first groups in an order.
    /// - Parameter since: count only reports from this instant on (nanoseconds since 1970 UTC), and
    ///   groups that have such reports. Reports without a timestamp do not count.
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

    private static let summaries = """
        SELECT g.id, g.title, s.family, s.words, s.lacks_symbols, g.reports, g.logs, g.first, g.last, g.example
        FROM crash_groups AS g JOIN signatures AS s ON s.id = g.leader
        """

    private static func summary(_ row: Row) -> GroupSummary {
        GroupSummary(
            id: row.text(0) ?? "", title: row.text(1) ?? "", family: row.text(2) ?? "", kindLabel: row.text(3) ?? "",
            lacksSymbols: row.number(4) == 1, reports: row.count(5), logs: row.count(6), first: row.number(7), last: row.number(8),
            versions: [], versionCount: 0, example: row.number(9) ?? 0)
    }

    private static func addVersions(_ database: any DatabaseConnection, to group: inout GroupSummary, since: Int64? = nil) throws {
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

    /// The group with an identifier, or with the only one that begins so; groups that have become
    /// part of another are found by their former identifiers.
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

    /// The groups, those with most reports first, one after the other until `body` wants no more.
    package func forEachGroup(_ body: (GroupSummary) -> Bool) throws(StoreError) {
        try read { database in
            try database.each(Self.summaries + " ORDER BY g.reports DESC, g.id", isLarge: true) { row in
                var group = Self.summary(row)
                try Self.addVersions(database, to: &group)
                return body(group)
            }
        }
    }

    /// Calls `body` with each signature until it returns false.
    package func forEachSignature(_ body: (SignatureCount) -> Bool) throws(StoreError) {
        try read { database in
            let sql = """
                SELECT family, words, title, exact, own_code, lacks_symbols, absence, frames, crash_group, count(*), min(instant), max(instant)
                FROM signatures JOIN reports ON signature = signatures.id GROUP BY signatures.id ORDER BY signatures.id
                """
            try database.each(sql, isLarge: true) { row in
                let signature = StoredSignature(
                    family: row.text(0) ?? "", kindLabel: row.text(1) ?? "", title: row.text(2) ?? "", exact: row.text(3) ?? "",
                    ownCode: row.text(4) ?? "", lacksSymbols: row.number(5) == 1, absence: row.text(6), frames: row.text(7) ?? "")
                return body(
                    SignatureCount(
                        signature: signature, group: row.text(8), reports: row.count(9), first: row.number(10), last: row.number(11)))
            }
        }
    }

    /// By which rules the signatures were made: one, unless logs wait for a run to make them anew;
    /// at most ten.
    package func rules() throws(StoreError) -> [String] {
        try read { database in
            var rules: [String] = []
            try database.each("SELECT DISTINCT rules FROM logs WHERE result = 'answered' AND rules IS NOT NULL ORDER BY rules LIMIT 10") {
                rules.append($0.text(0) ?? "")
                return true
            }
            return rules
        }
    }

    /// Everything about a group; `nil` if no group has this identifier.
    package func detail(ofGroup id: String, _ limits: QueryLimits) throws(StoreError) -> GroupDetail? {
        try read { database in
            var found: GroupSummary?
            try database.each(Self.summaries + " WHERE g.id = ?", [id]) { row in
                found = Self.summary(row)
                return false
            }
            guard var summary = found else { return nil }
            try Self.addVersions(database, to: &summary)
            let (stacks, stackCount) = try Self.stacks(database, ofGroup: id, limits)
            let (images, imageCount) = try Self.missingImages(database, ofGroup: id, limit: limits.missingImages)
            var former: [String] = []
            try database.each("SELECT id FROM former_groups WHERE crash_group = ? ORDER BY id", [id]) { row in
                former.append(row.text(0) ?? "")
                return true
            }
            let withoutInstant = try database.count(
                "SELECT count(*) FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group = ? AND instant IS NULL",
                [id])
            return GroupDetail(
                summary: summary, breakdown: try Self.breakdown(database, ofGroup: id, limits),
                days: try Self.days(database, ofGroup: id, limit: limits.days), reportsWithoutInstant: withoutInstant, stacks: stacks,
                stackCount: stackCount, examples: try Self.examples(database, of: summary, limits), missingImages: images,
                missingImageCount: imageCount, formerIDs: former)
        }
    }

    /// How many reports there are of each version, system and so on; `nil`: of all reports.
    package func breakdown(ofGroup id: String?, _ limits: QueryLimits) throws(StoreError) -> Breakdown {
        try read { try Self.breakdown($0, ofGroup: id, limits) }
    }

    private static func breakdown(_ database: any DatabaseConnection, ofGroup id: String?, _ limits: QueryLimits) throws -> Breakdown {
        func tallies(_ column: String) throws -> [Tally] {
            try Self.tallies(database, column, ofGroup: id, limit: limits.tallies).0
        }
        var breakdown = Breakdown()
        breakdown.kinds = try Self.kinds(database, ofGroup: id, limit: limits.tallies)
        breakdown.processes = try tallies("process")
        breakdown.versions = try tallies("version")
        breakdown.systems = try tallies("system")
        breakdown.devices = try tallies("device")
        breakdown.formats = try tallies("format")
        breakdown.platforms = try tallies("platform")
        breakdown.architectures = try tallies("architecture")
        return breakdown
    }

    private static func kinds(_ database: any DatabaseConnection, ofGroup id: String?, limit: Int) throws -> [Tally] {
        var kinds: [Tally] = []
        let sql = """
            SELECT words, count(*) FROM signatures JOIN reports ON signature = signatures.id\(id == nil ? "" : " WHERE crash_group = ?")
            GROUP BY words ORDER BY count(*) DESC, words LIMIT ?
            """
        try database.each(sql, (id.map { [$0] } ?? StatementArguments()) + [limit]) { row in
            kinds.append(Tally(value: row.text(0), count: row.count(1)))
            return true
        }
        return kinds
    }

    /// How many reports there are of each day in UTC, the earliest first; `nil`: of all reports. If
    /// there are more days than the limit, the latest are given.
    package func days(ofGroup id: String?, limit: Int) throws(StoreError) -> [DayCount] {
        try read { try Self.days($0, ofGroup: id, limit: limit) }
    }

    /// When reports happened, nanoseconds since 1970 UTC, the earliest first; `nil`: all reports.
    /// If there are more than the limit, the latest are given.
    package func instants(ofGroup id: String?, limit: Int) throws(StoreError) -> [Int64] {
        try read { database in
            var instants: [Int64] = []
            let (source, arguments) = Self.instantSource(id)
            try database.each("SELECT instant FROM \(source) ORDER BY instant DESC LIMIT ?", arguments + [limit]) { row in
                if let instant = row.number(0) { instants.append(instant) }
                return true
            }
            return instants.reversed()
        }
    }

    private static func days(_ database: any DatabaseConnection, ofGroup id: String?, limit: Int) throws -> [DayCount] {
        guard limit > 0 else { return [] }
        var days: [DayCount] = []
        let (source, arguments) = instantSource(id)
        // Division rounds toward zero; days before 1970 begin below.
        let sql = """
            SELECT instant / 86400000000000 - CASE WHEN instant % 86400000000000 < 0 THEN 1 ELSE 0 END AS day, count(*) FROM \(source) GROUP BY day ORDER BY day DESC LIMIT ?
            """
        try database.each(sql, arguments + [limit]) { row in
            days.append(DayCount(day: row.count(0), count: row.count(1)))
            return true
        }
        return days.reversed()
    }

    private static func instantSource(_ id: String?) -> (String, StatementArguments) {
        guard let id else { return ("reports WHERE instant IS NOT NULL", StatementArguments()) }
        return ("signatures JOIN reports ON signature = signatures.id WHERE crash_group = ? AND instant IS NOT NULL", [id])
    }

    private static func missingImages(_ database: any DatabaseConnection, ofGroup id: String?, isFiltered: Bool = false, limit: Int) throws
        -> (
            [MissingImage], Int
        )
    {
        guard limit > 0 else { return ([], 0) }
        var images: [MissingImage] = []
        var count = 0
        let counted =
            id == nil
            ? "SELECT image, count(*) AS reports FROM loaded_images\(isFiltered ? " JOIN reports ON reports.id = report" : "") GROUP BY image"
            : """
            SELECT image, count(*) AS reports FROM signatures JOIN reports ON signature = signatures.id JOIN loaded_images ON report = reports.id
            WHERE crash_group = ? GROUP BY image
            """
        let sql = """
            SELECT name, identity, architecture, path, reason, reports, count(*) OVER () FROM (\(counted)) AS counted JOIN images ON images.id = image
            WHERE has_symbols = 0 AND reason IS NOT NULL ORDER BY reports DESC, name, identity NULLS FIRST LIMIT ?
            """
        try database.each(sql, (id.map { [$0] } ?? StatementArguments()) + [limit]) { row in
            images.append(
                MissingImage(
                    name: row.text(0) ?? "", identity: row.text(1), architecture: row.text(2), path: row.text(3), reason: row.text(4),
                    reports: row.count(5)))
            count = row.count(6)
            return true
        }
        return (images, count)
    }

    // MARK: Search

    /// The groups that have reports with a text in them, those with most first. ASCII case is
    /// ignored, as in SQLite's LIKE.
    package func search(_ text: String, limit: Int) throws(StoreError) -> SearchResult {
        try read { database in
            let pattern = Self.pattern(text)
            var result = SearchResult(groups: [], groupCount: 0, reports: 0, ungroupedReports: 0)
            let sql = """
                \(Self.found),
                found_signatures AS MATERIALIZED (
                    SELECT signatures.id FROM signatures LEFT JOIN crash_groups ON crash_groups.id = crash_group
                    WHERE signatures.title LIKE ?1 ESCAPE '\\' OR crash_groups.title LIKE ?1 ESCAPE '\\'),
                found AS (
                    SELECT report AS id FROM threads WHERE stack IN (SELECT stack FROM found_stacks) UNION SELECT report FROM loaded_images WHERE image IN (SELECT id FROM found_images)
                    UNION SELECT id FROM reports WHERE signature IN (SELECT id FROM found_signatures)
                    UNION SELECT id FROM reports WHERE message LIKE ?1 ESCAPE '\\' OR process LIKE ?1 ESCAPE '\\')
                SELECT crash_groups.id, count(*), min(reports.id), crash_groups.title, crash_groups.reports
                FROM found JOIN reports ON reports.id = found.id LEFT JOIN signatures ON signatures.id = signature LEFT JOIN crash_groups ON crash_groups.id = crash_group
                GROUP BY crash_groups.id ORDER BY count(*) DESC, crash_groups.id
                """
            try database.each(sql, [pattern]) { row in
                result.reports += row.count(1)
                guard let id = row.text(0) else {
                    result.ungroupedReports = row.count(1)
                    return true
                }
                result.groupCount += 1
                if result.groups.count < limit {
                    result.groups.append(
                        FoundGroup(
                            id: id, title: row.text(3) ?? "", matching: row.count(1), reports: row.count(4), matches: [],
                            example: row.number(2) ?? 0))
                }
                return true
            }
            for first in stride(from: 0, to: result.groups.count, by: Self.groupsOfQuery) {
                try Self.addTexts(database, to: &result.groups[first..<min(first + Self.groupsOfQuery, result.groups.count)], pattern)
            }
            return result
        }
    }

    /// Each distinct text, stack, image and signature is looked at once, however many reports have
    /// it.
    private static let found = """
        WITH found_texts AS MATERIALIZED (SELECT id FROM texts WHERE text LIKE ?1 ESCAPE '\\'),
        found_stacks AS MATERIALIZED (
            SELECT stack FROM function_rows WHERE name IN (SELECT id FROM found_texts) OR file IN (SELECT id FROM found_texts)
            UNION SELECT stack FROM frame_rows WHERE printed IN (SELECT id FROM found_texts)),
        found_images AS MATERIALIZED (SELECT id FROM images WHERE name LIKE ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\')
        """

    /// A parameter each: databases have limits for these.
    private static let groupsOfQuery = 200

    /// Fields that are searched, in the order of a group's matches.
    private static let fields: [FoundText.Field] = [.title, .function, .function, .file, .message, .process, .image, .image]

    /// Adds matching texts to groups: at most three texts of each field. One query for all groups
    /// reads each of their reports once.
    private static func addTexts(_ database: any DatabaseConnection, to groups: inout ArraySlice<FoundGroup>, _ pattern: String) throws {
        let ids = "(" + groups.indices.map { "?\($0 - groups.startIndex + 2)" }.joined(separator: ", ") + ")"
        func texts(_ field: Int, _ column: String, _ source: String) -> String {
            "SELECT crash_group, \(field), \(column) FROM \(source) WHERE \(column) LIKE ?1 ESCAPE '\\'"
        }
        func shared(_ field: Int, _ column: String, _ table: String) -> String {
            "SELECT crash_group, \(field), text FROM group_stacks JOIN \(table) AS r ON r.stack = group_stacks.stack JOIN texts ON texts.id = r.\(column) WHERE text LIKE ?1 ESCAPE '\\'"
        }
        let images = "group_images JOIN images ON images.id = image"
        let sql = """
            \(found),
            in_groups AS MATERIALIZED (
                SELECT reports.id, crash_group, CASE WHEN message LIKE ?1 ESCAPE '\\' THEN message END AS message, CASE WHEN process LIKE ?1 ESCAPE '\\' THEN process END AS process
                FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group IN \(ids)),
            group_stacks AS MATERIALIZED (
                SELECT DISTINCT crash_group, stack FROM in_groups JOIN threads ON report = in_groups.id WHERE stack IN (SELECT stack FROM found_stacks)),
            group_images AS MATERIALIZED (
                SELECT DISTINCT crash_group, image FROM in_groups JOIN loaded_images ON report = in_groups.id WHERE image IN (SELECT id FROM found_images)),
            matches (crash_group, place, text) AS (
                SELECT id, 0, title FROM crash_groups WHERE id IN \(ids) AND title LIKE ?1 ESCAPE '\\'
                UNION \(shared(1, "name", "function_rows")) UNION \(shared(2, "printed", "frame_rows")) UNION \(shared(3, "file", "function_rows"))
                UNION SELECT crash_group, 4, message FROM in_groups WHERE message IS NOT NULL
                UNION SELECT crash_group, 5, process FROM in_groups WHERE process IS NOT NULL
                UNION \(texts(6, "name", images)) UNION \(texts(7, "path", images)))
            SELECT crash_group, place, text
            FROM (SELECT crash_group, place, text, row_number() OVER (PARTITION BY crash_group, place ORDER BY text) AS number FROM matches) AS numbered
            WHERE number <= 3 ORDER BY place, number
            """
        var hasNamedImage: Set<Int> = []
        try database.each(sql, [pattern] + StatementArguments(groups.map { .text($0.id) })) { row in
            let field = row.count(1)
            guard let index = groups.firstIndex(where: { $0.id == row.text(0) }), fields.indices.contains(field) else { return true }
            // An image that was found by its name is not listed again by its path.
            if field == 6 { hasNamedImage.insert(index) }
            if field == 7, hasNamedImage.contains(index) { return true }
            let match = FoundText(field: fields[field], text: row.text(2) ?? "")
            if !groups[index].matches.contains(match) { groups[index].matches.append(match) }
            return true
        }
    }

    /// LIKE's pattern for a text anywhere: wildcards in the text match only themselves.
    private static func pattern(_ text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}

/// How much a result may hold.
package struct QueryLimits: Sendable, Hashable {
    /// Rows of each list of counts: the largest.
    package var tallies = 20
    /// Different stacks of a group: those of most reports.
    package var stacks = 20
    /// Rows of a stack, innermost first.
    package var frames = 256
    /// Example reports of a group.
    package var examples = 10
    /// Paths of one log.
    package var paths = 5
    /// Images without symbols: those of most reports.
    package var missingImages = 50
    /// Files that could not be read.
    package var unreadFiles = 50
    /// Runs: the latest.
    package var runs = 10
    /// Days with reports: the latest.
    package var days = 5000
    /// Instants of reports: the latest.
    package var instants = 200_000

    package init() {}
}

/// Sort order of groups.
package enum GroupOrder: String, Sendable, CaseIterable {
    /// Those with most reports first.
    case reports
    /// Those with most logs first.
    case logs
    /// Those that happened last first.
    case last
    /// Those that were first seen last first: new bugs.
    case first
}

/// Result of looking up an identifier of a group.
package enum GroupMatch: Sendable, Hashable {
    /// - former: the identifier under which the group was found, if it is not its own any more.
    case found(id: String, former: String?)
    /// Several begin so; the first of them.
    case several([String])
    case none
}
