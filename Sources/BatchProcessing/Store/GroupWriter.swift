internal import Databases
internal import TestReports

/// Puts all reports of a store into groups, in a transaction that is the caller's.
///
/// A group is called by the hash of what its leader compares, which changes when a stack with more
/// information comes. Noted names stay valid: a group keeps the name that most of its reports had
/// before; and of names that are gone it is kept which group has most of their reports now.
struct GroupWriter {
    private let database: any DatabaseConnection

    init(_ database: any DatabaseConnection) { self.database = database }

    /// A signature that reports have.
    private struct Known {
        var id: Int64
        var group: String?
        var title: String
        var kindLabel: String
        var reports: Int
        /// The groups that its reports were in, and how many of them.
        var earlier: [(group: String, reports: Int)]
    }

    func write() throws {
        try database.execute(
            sql: "DELETE FROM signatures WHERE NOT EXISTS (SELECT 1 FROM reports WHERE reports.signature = signatures.id)")
        try removeUnusedStacks()
        let earlier = try earlierGroups()
        var known: [Known] = []
        var signatures: [CrashSignature] = []
        // In the order of the keys, so that the choice among equally good ones is the same in every
        // run.
        let rows = try Row.fetchCursor(
            database.makeStatement(
                sql:
                    "SELECT id, family, words, title, exact, own_code, lacks_symbols, absence, frames, crash_group, (SELECT count(*) FROM reports WHERE signature = signatures.id) AS reports FROM signatures ORDER BY id"
            ), isLarge: true)
        defer { rows.end() }
        while let row = try rows.next() {
            let stored = StoredSignature(
                family: row["family"], kindLabel: row["words"], title: row["title"], exact: row["exact"], ownCode: row["own_code"],
                lacksSymbols: row["lacks_symbols"], absence: row["absence"], frames: row["frames"])
            guard let signature = stored.signature else { continue }
            signatures.append(signature)
            known.append(
                Known(
                    id: row["id"], group: row["crash_group"], title: stored.title, kindLabel: stored.kindLabel, reports: row["reports"],
                    earlier: earlier[row["id"]] ?? []))
        }
        // Reports without a usable stack may be of any bug, so they are in no group.
        let groups = CrashGroups(signatures).groups.filter { signatures[$0.leader].absence == nil }
        let names = try names(of: groups, known)
        try renew(groups, names, known)
        try database.execute(sql: "DELETE FROM moved_reports")
    }

    /// By signature. A report that was symbolicated again has another signature than before.
    private func earlierGroups() throws -> [Int64: [(group: String, reports: Int)]] {
        var result: [Int64: [(group: String, reports: Int)]] = [:]
        let group = "coalesce(moved_reports.crash_group, signatures.crash_group)"
        let sql = """
            SELECT signature, \(group) AS earlier, count(*) AS reports
            FROM reports JOIN signatures ON signatures.id = signature LEFT JOIN moved_reports ON report = reports.id
            WHERE \(group) IS NOT NULL GROUP BY signature, \(group)
            """
        try database.each(sql, isLarge: true) { row in
            result[row["signature"], default: []].append((row["earlier"], row["reports"]))
            return true
        }
        return result
    }

    /// Logs that are symbolicated again, or that grew, may leave unused stacks.
    private func removeUnusedStacks() throws {
        try database.execute(
            sql: "CREATE TEMP TABLE unused AS SELECT id FROM stacks WHERE NOT EXISTS (SELECT 1 FROM threads WHERE stack = stacks.id)")
        let mayLeaveTexts = try database.count("SELECT count(*) FROM state WHERE has_unused = 1 OR EXISTS (SELECT 1 FROM unused)") > 0
        for table in [StoreTable.functions, .frames] {
            try database.execute(sql: "DELETE FROM \(table.name) WHERE stack IN (SELECT id FROM unused)")
        }
        try database.execute(sql: "DELETE FROM stacks WHERE id IN (SELECT id FROM unused)")
        try database.execute(sql: "DROP TABLE unused")
        if mayLeaveTexts { try removeUnusedTexts() }
        // The images of a stack's frames are those of each report that has the stack.
        try database.execute(sql: "DELETE FROM images WHERE NOT EXISTS (SELECT 1 FROM loaded_images WHERE image = images.id)")
    }

    /// No index says which rows refer to a text: it would be as large as the texts. All of these
    /// rows are read instead, where one may have gone.
    private func removeUnusedTexts() throws {
        try database.execute(
            sql: """
                CREATE TEMP TABLE used (id INTEGER PRIMARY KEY);
                INSERT INTO used
                SELECT frame_kind FROM frame_rows UNION SELECT printed FROM frame_rows WHERE printed IS NOT NULL
                UNION SELECT name FROM function_rows UNION SELECT file FROM function_rows WHERE file IS NOT NULL;
                DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM used WHERE used.id = texts.id);
                DELETE FROM frame_kinds WHERE NOT EXISTS (SELECT 1 FROM used WHERE used.id = frame_kinds.id);
                DROP TABLE used;
                UPDATE state SET has_unused = 0 WHERE has_unused = 1
                """)
    }

    // MARK: Names

    /// How many of a new group's reports were in an earlier one.
    private struct Vote {
        var group: Int
        var earlier: String
        var reports: Int
    }

    private func votes(of groups: [CrashGroups.Group], _ known: [Known]) -> [Vote] {
        var votes: [Vote] = []
        for (number, group) in groups.enumerated() {
            var counts: [String: Int] = [:]
            for member in group.members { for (earlier, reports) in known[member].earlier { counts[earlier, default: 0] += reports } }
            votes += counts.map { Vote(group: number, earlier: $0.key, reports: $0.value) }
        }
        return votes.sorted { left, right in
            if left.reports != right.reports { return left.reports > right.reports }
            return (left.earlier, groups[left.group].hash) < (right.earlier, groups[right.group].hash)
        }
    }

    /// - Returns: a name for each group. What is written meanwhile are the names that are gone.
    private func names(of groups: [CrashGroups.Group], _ known: [Known]) throws -> [String] {
        var names = [String?](repeating: nil, count: groups.count)
        var taken: Set<String> = []
        var gone: [(name: String, group: Int)] = []
        for vote in votes(of: groups, known) {
            if taken.contains(vote.earlier) { continue }
            guard names[vote.group] == nil else {
                // The first group that requests it has most of its reports, and already has another
                // name. If no other group takes the name, it is gone.
                gone.append((vote.earlier, vote.group))
                continue
            }
            names[vote.group] = vote.earlier
            taken.insert(vote.earlier)
        }
        var former: [String: String] = [:]
        try database.each("SELECT id, crash_group FROM former_groups") { row in
            former[row["id"]] = row["crash_group"] as String
            return true
        }
        let result = names.enumerated().map { number, name in
            if let name { return name }
            // A name that another group has or had is not given again.
            var text = groups[number].hash
            while taken.contains(text) || former[text] != nil { text = StableHash.text(text) }
            taken.insert(text)
            return text
        }
        for (name, group) in gone where !taken.contains(name) && former[name] == nil { former[name] = result[group] }
        // Former names that led to a name that is gone now lead to the replacement of that name.
        for (name, target) in former where !taken.contains(target) { former[name] = former[target] }
        try database.execute(sql: "DELETE FROM former_groups")
        for (name, target) in former.sorted(by: { $0.key < $1.key }) where taken.contains(target) && !taken.contains(name) {
            try database.execute(sql: "INSERT INTO former_groups (id, crash_group) VALUES (?, ?)", arguments: [name, target])
        }
        return result
    }

    // MARK: Rows

    private func renew(_ groups: [CrashGroups.Group], _ names: [String], _ known: [Known]) throws {
        try database.execute(sql: "DELETE FROM crash_groups")
        try database.execute(sql: "UPDATE signatures SET crash_group = NULL WHERE absence IS NOT NULL AND crash_group IS NOT NULL")
        let move = try database.cachedStatement(sql: "UPDATE signatures SET crash_group = ? WHERE id = ?")
        for (number, group) in groups.enumerated() {
            for member in group.members where known[member].group != names[number] {
                try move.execute(arguments: [names[number], known[member].id])
            }
        }
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO crash_groups (id, title, leader, reports, logs, first, last, example)
                SELECT ?1, ?2, CAST(?3 AS INTEGER), count(*), count(DISTINCT log), min(instant), max(instant),
                    (SELECT id FROM reports WHERE signature = ?3 ORDER BY instant DESC NULLS LAST, id LIMIT 1)
                FROM signatures JOIN reports ON signature = signatures.id WHERE crash_group = ?1
                """)
        for (number, group) in groups.enumerated() {
            var representative = RepresentativeSignature()
            for member in group.members {
                let signature = known[member]
                representative.add(member, title: signature.title, kindLabel: signature.kindLabel, reports: signature.reports)
            }
            let shown = known[representative.index ?? group.leader]
            try insert.execute(arguments: [names[number], shown.title, shown.id])
        }
    }
}
