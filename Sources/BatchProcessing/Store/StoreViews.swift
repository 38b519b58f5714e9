/// The four common questions, as views for programs that read a store without cairn. Times are
/// nanoseconds since 1970 in UTC, as in the tables.
enum StoreViews {
    static let fourth = """
        -- The groups and what they are known by. `SELECT * FROM top_groups ORDER BY reports DESC LIMIT 10`
        CREATE VIEW top_groups AS
        SELECT g.id AS crash_group, g.title, s.family, s.words, g.reports, g.logs, g.first, g.last, g.example, s.lacks_symbols
        FROM crash_groups AS g JOIN signatures AS s ON s.id = g.leader;

        -- The reports of each group, with the path of their log. `SELECT * FROM group_reports WHERE crash_group = '3b0c…' ORDER BY instant`
        CREATE VIEW group_reports AS
        SELECT s.crash_group, r.id AS report, r.process, r.version, r.system, r.device, r.architecture, r.instant, r.signal, r.message, r.meaning, l.content, r.number,
            (SELECT min(path) FROM files WHERE files.log = r.log) AS path
        FROM signatures AS s JOIN reports AS r ON r.signature = s.id JOIN logs AS l ON l.id = r.log;

        -- The files without symbols, and how many reports have frames in them. `SELECT * FROM missing_symbols ORDER BY reports DESC`
        CREATE VIEW missing_symbols AS
        SELECT i.name, i.identity, i.architecture, i.path, i.reason, count(*) AS reports
        FROM images AS i JOIN loaded_images AS l ON l.image = i.id WHERE i.has_symbols = 0 AND i.reason IS NOT NULL
        GROUP BY i.id, i.name, i.identity, i.architecture, i.path, i.reason;

        -- How many reports of each group there are of each day in UTC; day: whole days since 1970. `SELECT * FROM group_days WHERE crash_group = '3b0c…' ORDER BY day`
        CREATE VIEW group_days AS
        SELECT s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END AS day, count(*) AS reports
        FROM signatures AS s JOIN reports AS r ON r.signature = s.id WHERE r.instant IS NOT NULL
        GROUP BY s.crash_group, r.instant / 86400000000000 - CASE WHEN r.instant % 86400000000000 < 0 THEN 1 ELSE 0 END;
        """
}
