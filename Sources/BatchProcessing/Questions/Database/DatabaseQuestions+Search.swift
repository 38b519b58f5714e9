internal import Databases

extension DatabaseQuestions {
    /// Capitals do not count in ASCII letters, as SQLite's LIKE has it.
    package func search(_ text: String, limit: Int) throws(StoreError) -> SearchResult {
        try read { database in
            let pattern = Self.pattern(text)
            var result = SearchResult(groups: [], groupCount: 0, reports: 0, ungroupedReports: 0)
            // Each distinct stack, image and signature is looked at once, however many reports have
            // it.
            let sql = """
                WITH found_stacks AS MATERIALIZED (
                    SELECT stack FROM functions WHERE name LIKE ?1 ESCAPE '\\' OR file LIKE ?1 ESCAPE '\\' UNION SELECT stack FROM frames WHERE printed LIKE ?1 ESCAPE '\\'),
                found_images AS MATERIALIZED (SELECT id FROM images WHERE name LIKE ?1 ESCAPE '\\' OR path LIKE ?1 ESCAPE '\\'),
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
            for index in result.groups.indices {
                result.groups[index].matches = try Self.texts(database, inGroup: result.groups[index].id, pattern)
            }
            return result
        }
    }

    /// What is found in a group: of each place at most three texts.
    private static func texts(_ database: any DatabaseConnection, inGroup id: String, _ pattern: String) throws -> [FoundText] {
        let reports = "signatures JOIN reports ON signature = signatures.id"
        let stacks = "(SELECT DISTINCT stack FROM \(reports) JOIN threads ON report = reports.id WHERE crash_group = ?2) AS t"
        let images = "(SELECT DISTINCT image FROM \(reports) JOIN loaded_images ON report = reports.id WHERE crash_group = ?2) AS t"
        func question(_ column: String, _ source: String, _ condition: String = "") -> String {
            "SELECT DISTINCT \(column) FROM \(source) WHERE \(condition)\(column) LIKE ?1 ESCAPE '\\' ORDER BY 1 LIMIT 3"
        }
        let questions: [(FoundText.Place, String)] = [
            (.title, question("title", "crash_groups", "id = ?2 AND ")),
            (.function, question("name", "\(stacks) JOIN functions ON functions.stack = t.stack")),
            (.function, question("printed", "\(stacks) JOIN frames ON frames.stack = t.stack")),
            (.file, question("file", "\(stacks) JOIN functions ON functions.stack = t.stack")),
            (.message, question("message", reports, "crash_group = ?2 AND ")),
            (.process, question("process", reports, "crash_group = ?2 AND ")),
            (.image, question("name", "\(images) JOIN images ON images.id = t.image")),
            (.image, question("path", "\(images) JOIN images ON images.id = t.image")),
        ]
        var texts: [FoundText] = []
        for (place, sql) in questions {
            // An image that was found by its name is not listed again by its path.
            if place == .image, texts.contains(where: { $0.place == .image }) { continue }
            try database.each(sql, [pattern, id]) { row in
                let found = FoundText(place: place, text: row.text(0) ?? "")
                if !texts.contains(found) { texts.append(found) }
                return true
            }
        }
        return texts
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
