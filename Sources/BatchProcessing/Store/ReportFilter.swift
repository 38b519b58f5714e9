internal import Databases

/// Which reports of a store are looked at: those of one program, of one version, or all.
package struct ReportFilter: Sendable, Hashable {
    package var process: String?
    package var version: String?

    package init(process: String? = nil, version: String? = nil) {
        self.process = process
        self.version = version
    }

    package var isEmpty: Bool { process == nil && version == nil }

    /// Puts a view of the wanted reports in front of the table, and the groups of these reports in
    /// front of all groups. A name is looked for among temporary tables first, so every query is
    /// about these alone. The store itself is not changed.
    ///
    /// Example: with the process `shop`, `SELECT count(*) FROM reports` counts the reports of
    /// `shop`.
    func hideOthers(in database: any DatabaseConnection) throws(DatabaseError) {
        guard !isEmpty else { return }
        let conditions = [("process", process), ("version", version)].compactMap { column, value in
            value.map { "\(column) = '\($0.replacing("'", with: "''"))'" }
        }
        let condition = conditions.joined(separator: " AND ")
        let main = database.mainSchema
        try database.execute(
            sql: """
                CREATE TEMP VIEW reports AS SELECT * FROM \(main).reports WHERE \(condition);
                CREATE TEMP TABLE crash_groups (
                    id TEXT PRIMARY KEY, title TEXT, leader INTEGER, reports INTEGER, logs INTEGER, first INTEGER, last INTEGER, example INTEGER) WITHOUT ROWID;
                INSERT INTO crash_groups
                SELECT g.id, g.title, g.leader, count(*), count(DISTINCT log), min(instant), max(instant),
                    coalesce((SELECT r.id FROM \(main).reports AS r WHERE signature = g.leader AND \(condition) ORDER BY instant DESC NULLS LAST, r.id LIMIT 1), max(reports.id))
                FROM \(main).crash_groups AS g JOIN signatures ON crash_group = g.id JOIN reports ON signature = signatures.id GROUP BY g.id;
                """)
    }
}
