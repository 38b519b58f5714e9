internal import Databases

extension DatabaseQuestions {
    /// Capitals do not count in ASCII letters, as SQLite's LIKE has it.
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

    /// Each distinct stack, image and signature is looked at once, however many reports have it.
    private static let found = """
        WITH found_stacks AS MATERIALIZED (
            SELECT stack FROM functions WHERE name LIKE ?1 ESCAPE '\\' OR file LIKE ?1 ESCAPE '\\' UNION SELECT stack FROM frames WHERE printed LIKE ?1 ESCAPE '\\'),
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
        let functions = "group_stacks JOIN functions ON functions.stack = group_stacks.stack"
        let frames = "group_stacks JOIN frames ON frames.stack = group_stacks.stack"
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
            texts (crash_group, place, text) AS (
                SELECT id, 0, title FROM crash_groups WHERE id IN \(ids) AND title LIKE ?1 ESCAPE '\\'
                UNION \(texts(1, "name", functions)) UNION \(texts(2, "printed", frames)) UNION \(texts(3, "file", functions))
                UNION SELECT crash_group, 4, message FROM in_groups WHERE message IS NOT NULL
                UNION SELECT crash_group, 5, process FROM in_groups WHERE process IS NOT NULL
                UNION \(texts(6, "name", images)) UNION \(texts(7, "path", images)))
            SELECT crash_group, place, text
            FROM (SELECT crash_group, place, text, row_number() OVER (PARTITION BY crash_group, place ORDER BY text) AS number FROM texts) AS numbered
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
    static func pattern(_ text: String) -> String {
        var pattern = "%"
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { pattern.unicodeScalars.append("\\") }
            pattern.unicodeScalars.append(scalar)
        }
        return pattern + "%"
    }
}
