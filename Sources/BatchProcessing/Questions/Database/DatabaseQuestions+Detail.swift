internal import Databases

extension DatabaseQuestions {
    package func detail(ofGroup id: String, _ limits: QuestionLimits) throws(StoreError) -> GroupDetail? {
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

    package func breakdown(ofGroup id: String?, _ limits: QuestionLimits) throws(StoreError) -> Breakdown {
        try read { try Self.breakdown($0, ofGroup: id, limits) }
    }

    private static func breakdown(_ database: any DatabaseConnection, ofGroup id: String?, _ limits: QuestionLimits) throws -> Breakdown {
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

    package func days(ofGroup id: String?, limit: Int) throws(StoreError) -> [DayCount] {
        try read { try Self.days($0, ofGroup: id, limit: limit) }
    }

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

    static func missingImages(_ database: any DatabaseConnection, ofGroup id: String?, isFiltered: Bool = false, limit: Int) throws -> (
        [MissingImage], Int
    ) {
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
}
