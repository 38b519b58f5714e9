internal import Databases

/// Which reports of a store are looked at: those of one program, of one version, of logs in some folders, or all.
package struct ReportFilter: Sendable, Hashable {
    package var process: String?
    package var version: String?
    /// Columns of the input, which are folders in the paths of logs, as data engines name the folders of partitions: `tenant=acme`. A report
    /// has a column if a path of its log has the folder.
    package var columns: [String]

    package init(process: String? = nil, version: String? = nil, columns: [String] = []) {
        self.process = process
        self.version = version
        self.columns = columns
    }

    package var isEmpty: Bool { process == nil && version == nil && columns.isEmpty }

    /// The condition for a table or view `reports`.
    /// - Parameter schema: of the tables.
    func condition(_ schema: String) -> String {
        func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }
        var conditions = [("process", process), ("version", version)].compactMap { column, value in
            value.map { "\(column) = \(quoted($0))" }
        }
        for column in columns {
            let folder = quoted("/\(column)/")
            // A path may begin with the column: the folder that was given.
            let isIn = "replace('/' || path, \(folder), '') <> '/' || path"
            conditions.append("EXISTS (SELECT 1 FROM \(schema).files WHERE files.log = reports.log AND \(isIn))")
        }
        return conditions.isEmpty ? "TRUE" : conditions.joined(separator: " AND ")
    }

    /// Puts a view of the wanted reports in front of the table, and the groups of these reports in
    /// front of all groups. A name is looked for among temporary tables first, so every query is
    /// about these alone. The store itself is not changed.
    ///
    /// Example: with the process `shop`, `SELECT count(*) FROM reports` counts the reports of
    /// `shop`.
    func hideOthers(in database: any DatabaseConnection) throws(DatabaseError) {
        guard !isEmpty else { return }
        let main = database.mainSchema
        let condition = condition(main)
        try database.execute(
            sql: """
                CREATE TEMP VIEW reports AS SELECT * FROM \(main).reports WHERE \(condition);
                CREATE TEMP TABLE crash_groups (
                    id TEXT PRIMARY KEY, title TEXT, leader INTEGER, reports INTEGER, logs INTEGER, first INTEGER, last INTEGER, example INTEGER) WITHOUT ROWID;
                INSERT INTO crash_groups
                SELECT g.id, g.title, g.leader, count(*), count(DISTINCT log), min(instant), max(instant),
                    coalesce((SELECT r.id FROM reports AS r WHERE signature = g.leader ORDER BY instant DESC NULLS LAST, r.id LIMIT 1), max(reports.id))
                FROM \(main).crash_groups AS g JOIN signatures ON crash_group = g.id JOIN reports ON signature = signatures.id GROUP BY g.id;
                """)
    }
}
