import Databases
import Synchronization
import TestSupport
import Testing

@testable import BatchProcessing

/// The results beside the rows of `MadeStore`, where every number is counted.
struct DatabaseQueriesTests {
    private static let day: Int64 = 86_400_000_000_000
    private static let hour: Int64 = 3_600_000_000_000
    private static let first = "aaaa000000000001"
    private static let second = "aaaa000000000002"
    private static let third = "b000000000000003"

    private func requested<Result>(_ body: (DatabaseQueries) throws -> Result) throws -> Result {
        try withMadeStore { path in try body(try DatabaseQueries(path: path)) }
    }

    @Test func `groups come by their reports, by what is latest and by what is new`() throws {
        try requested { store in
            let groups = try store.groups(.reports, since: nil, limit: 10)
            #expect(groups.map(\.id) == [Self.first, Self.second, Self.third])
            #expect(groups.map(\.reports) == [6, 3, 1] && groups.map(\.logs) == [5, 3, 1])
            #expect(groups[0].versions == [Tally(value: "2.0", count: 3), Tally(value: "1.0", count: 2), Tally(value: nil, count: 1)])
            #expect(groups[0].versionCount == 3 && groups[0].kindLabel == "SIGSEGV" && groups[0].family == "crash")
            #expect(groups.map(\.lacksSymbols) == [false, true, false])
            #expect(groups[1].first == -Self.hour && groups[1].last == 20002 * Self.day + Self.hour)
            #expect(try store.groups(.last, since: nil, limit: 10).map(\.id) == [Self.third, Self.second, Self.first])
            #expect(try store.groups(.first, since: nil, limit: 2).map(\.id) == [Self.third, Self.first])
        }
    }

    @Test func `of a period only its reports count`() throws {
        try requested { store in
            let groups = try store.groups(.reports, since: 20001 * Self.day, limit: 10)
            // Three of the first on day 20001, two of the second on day 20002, one of the third.
            #expect(groups.map(\.id) == [Self.first, Self.second, Self.third])
            #expect(groups.map(\.reports) == [3, 2, 1] && groups.map(\.logs) == [3, 2, 1])
            #expect(groups[0].versions == [Tally(value: "1.0", count: 2), Tally(value: "2.0", count: 1)])
            #expect(groups[0].first == 20000 * Self.day)
            #expect(try store.groups(.reports, since: 20003 * Self.day, limit: 10).map(\.id) == [Self.third])
            #expect(try store.groups(.reports, since: 20004 * Self.day, limit: 10).isEmpty)
        }
    }

    @Test func `the beginning of an identifier is enough where it is the only one`() throws {
        try requested { (store: DatabaseQueries) throws in
            let expected: [(String, GroupMatch)] = [
                (Self.first, .found(id: Self.first, former: nil)), ("b000", .found(id: Self.third, former: nil)),
                ("B000", .found(id: Self.third, former: nil)), ("aaaa", .several([Self.first, Self.second])),
                ("cccc", .found(id: Self.first, former: "cccc000000000009")), ("dddd", .none),
            ]
            for (beginning, match) in expected { #expect(try store.match(group: beginning) == match) }
        }
    }

    @Test func `a group is told with its stacks, its reports and what is missing`() throws {
        try requested { store in
            let group = try #require(try store.detail(ofGroup: Self.first, QueryLimits()))
            #expect(group.summary.reports == 6 && group.formerIDs == ["cccc000000000009"] && group.reportsWithoutInstant == 1)
            #expect(group.days == [DayCount(day: 20000, count: 2), DayCount(day: 20001, count: 3)])
            // Odd numbers of 1 to 6 have one system, even ones the other.
            #expect(group.breakdown.systems == [Tally(value: "macOS 14.0", count: 3), Tally(value: "macOS 15.2", count: 3)])
            #expect(group.breakdown.devices == [Tally(value: nil, count: 5), Tally(value: "Mac15,6", count: 1)])
            #expect(group.breakdown.formats == [Tally(value: "apple-crash", count: 6)])
            #expect(group.stacks.map(\.id) == [100, 102] && group.stacks.map(\.reports) == [5, 1] && group.stackCount == 2)
            let frames = group.stacks[0].frames
            #expect(frames.map(\.function) == ["inner", "outer", nil] && frames.map(\.row) == [0, 0, 1])
            #expect(frames.map(\.isInlined) == [true, false, false] && frames.map(\.line) == [7, 70, 0])
            #expect(frames[2].module == "libmissing" && frames[2].offset == 0x99)
            #expect(frames[2].reason == "no symbol file for libmissing (BB)" && frames[0].reason == nil)
            #expect(group.stacks[1].frames.map(\.function) == ["printed_name"])
            // Report 1 represents the group; then those that happened last: 4 (05:00 of day 20001),
            // 5 (01:00), 3, 2 (01:00 of day 20000), and 6, which has no timestamp.
            #expect(group.examples.map(\.id) == [1, 4, 5, 3, 2, 6])
            #expect(group.examples[0].paths == ["/copy/1.crash", "/logs/1.crash"] && group.examples[0].pathCount == 2)
            #expect(group.examples.map(\.meaning) == ["What it means.", nil, nil, nil, nil, nil])
            #expect(group.examples[0].faultAddress == UInt64.max && group.examples[0].log == String(repeating: "0", count: 63) + "1")
            #expect(group.missingImages.map(\.name) == ["libmissing"] && group.missingImages.map(\.reports) == [5])
            #expect(try store.detail(ofGroup: "0000000000000000", QueryLimits()) == nil)
        }
    }

    /// A log without images has raw addresses, which differ from process to process.
    @Test func `stacks that look alike are one`() throws {
        try withMadeStore { path in
            let changes =
                MadeStore.rows + """
                    import sqlite3, sys
                    store = sqlite3.connect(sys.argv[1])
                    # Of the second group's reports two print a name at different addresses, one has an address alone.
                    for report, stack, address, name in [(7, 201, 0x1000, "far"), (8, 202, 0x2000, "far"), (9, 203, 0x3000, None)]:
                        store.execute("INSERT INTO stacks (id, frames) VALUES (?, 1)", (stack,))
                        add_frame(store, stack, 0, "program-counter", None, None, address, name, "no images")
                        store.execute("UPDATE threads SET stack = ? WHERE report = ? AND crashed", (stack, report))
                    store.commit()
                    """
            try run("python3", ["-c", changes, path]).requireSuccess()
            let group = try #require(try DatabaseQueries(path: path).detail(ofGroup: Self.second, QueryLimits()))
            #expect(group.stacks.map(\.id) == [201, 203] && group.stacks.map(\.reports) == [2, 1] && group.stackCount == 2)
            #expect(group.stacks.map(\.example) == [7, 9] && group.stacks[1].frames.map(\.address) == [0x3000])
        }
    }

    @Test func `days before 1970 are days as others`() throws {
        try requested { (store: DatabaseQueries) throws in
            #expect(
                try store.days(ofGroup: Self.second, limit: 10) == [DayCount(day: -1, count: 1), DayCount(day: 20002, count: 2)])
            #expect(try store.instants(ofGroup: Self.second, limit: 2) == [20002 * Self.day, 20002 * Self.day + Self.hour])
            #expect(try store.days(ofGroup: nil, limit: 100).map(\.count) == [1, 2, 3, 2, 1])
            #expect(DayCount(day: -1, count: 1).start == -Self.day)
        }
    }

    @Test func `no list is longer than its limit`() throws {
        try requested { store in
            var limits = QueryLimits()
            (limits.tallies, limits.stacks, limits.frames, limits.examples, limits.paths, limits.days) = (1, 1, 2, 1, 1, 1)
            let group = try #require(try store.detail(ofGroup: Self.first, limits))
            #expect(group.breakdown.versions == [Tally(value: "2.0", count: 3)])
            #expect(group.stacks.map(\.frames.count) == [2] && group.stackCount == 2 && group.stacks[0].rows == 2)
            #expect(group.examples.map(\.paths) == [["/copy/1.crash"]] && group.examples[0].pathCount == 2)
            #expect(group.days == [DayCount(day: 20001, count: 3)])
        }
    }

    @Test func `the whole store is told with what is missing in it`() throws {
        try requested { store in
            let store = try store.overview(QueryLimits())
            #expect(store.files == 13 && store.logs == 12 && store.logsWithoutTrace == 1 && store.unreadableLogs == 1)
            #expect(store.reports == 11 && store.groups == 3 && store.ungroupedReports == 1 && store.reportsWithoutInstant == 2)
            #expect(store.reportsLackingSymbols == 3 && store.reportsWithoutStack == 0 && store.unreadFiles == 1)
            #expect(store.first == -Self.hour && store.last == 20003 * Self.day)
            #expect(store.frames == 6 && store.unresolvedFrames == 2 && store.namedFrames == 1)
            #expect(store.unread.map(\.path) == ["/logs/12.crash", "/logs/locked"])
            #expect(store.unread.map(\.problem) == ["cut off", "permission denied"])
            // Five reports of the first group and three of the second; libother was never
            // requested.
            #expect(store.missingImages.map(\.reports) == [8] && store.missingImageCount == 1)
            #expect(store.runs.map(\.logs) == [12] && store.runs[0].roots == ["/logs"])
        }
    }

    @Test func `reports are handed out one by one until no more are wanted`() throws {
        try requested { store in
            var ids: [Int64] = []
            try store.forEachReport(ofGroup: nil) { report in
                ids.append(report.id)
                return true
            }
            #expect(ids == Array(1...11))
            ids = []
            try store.forEachReport(ofGroup: Self.second) { report in
                ids.append(report.id)
                return ids.count < 2
            }
            #expect(ids == [9, 8])
            var frames: [String] = []
            try store.forEachFrame(ofGroup: nil) { report, frame in
                frames.append("\(report.id) \(frame.row) \(frame.function ?? "-")")
                return true
            }
            // Three each of reports 1 to 5, one each of 6 to 10.
            #expect(frames.count == 20 && frames.prefix(3) == ["1 0 inner", "1 0 outer", "1 1 -"])
        }
    }

    @Test func `a text is found wherever it stands, and its signs mean nothing`() throws {
        try requested { store in
            func found(_ text: String) throws -> [String] {
                try store.search(text, limit: 10).groups.map { "\($0.id) \($0.matching)" }
            }
            let inner = try store.search("INNER", limit: 10)
            #expect(inner.groups.map(\.id) == [Self.first] && inner.groups[0].matching == 5 && inner.groups[0].reports == 6)
            #expect(inner.groups[0].matches == [FoundText(field: .function, text: "inner")])
            // The other thread's function, of reports 1 to 9.
            #expect(try found("main_loop") == ["\(Self.first) 6", "\(Self.second) 3"])
            #expect(try found("100%_MAIN") == ["\(Self.first) 6", "\(Self.second) 3"])
            for text in ["1%n.c", "outer%", "\\"] { #expect(try found(text).isEmpty, "\(text)") }
            #expect(try found("libmissing") == ["\(Self.first) 5", "\(Self.second) 3"])
            #expect(try found("boom") == ["\(Self.second) 1"])
            #expect(try found("printed_n") == ["\(Self.first) 1"])
            #expect(try found("HYPERLINK(\"") == ["\(Self.third) 1"])
            #expect(try found(MadeStore.hostileFunction) == ["\(Self.third) 1"])
            // All but the one report with another process; the one without a group counts apart.
            let app = try store.search("app", limit: 1)
            #expect(app.reports == 10 && app.ungroupedReports == 1 && app.groupCount == 2 && app.groups.map(\.id) == [Self.first])
        }
    }

    /// SQLite's own query plan: a query about one group, or the first groups, reads no table of
    /// frames, functions, threads, images or reports from end to end.
    @Test func `a question about a group does not read the whole store`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/crashes.sqlite"
            try fillStore(path)
            let store = try DatabaseQueries(path: path)
            let statements = Mutex<[String]>([])
            store.trace { statement in statements.withLock { $0.append(statement) } }
            _ = try store.groups(.reports, since: nil, limit: 10)
            _ = try store.groups(.last, since: 20001 * Self.day, limit: 10)
            _ = try store.match(group: "aaaa")
            _ = try store.detail(ofGroup: Self.first, QueryLimits())
            _ = try store.instants(ofGroup: Self.first, limit: 10)
            try store.forEachReport(ofGroup: Self.first) { _ in true }
            try store.forEachFrame(ofGroup: Self.first) { _, _ in true }
            let questions = statements.withLock { $0 }.filter { $0.contains("SELECT") }
            try #require(questions.count > 20)
            try writeFile(folder + "/questions", Array(questions.joined(separator: "\u{0}").utf8))
            let script = """
                import re, sqlite3, sys
                store = sqlite3.connect(sys.argv[1])
                for question in open(sys.argv[2]).read().split("\\0"):
                    for _, _, _, words in store.execute("EXPLAIN QUERY PLAN " + question):
                        if re.match("SCAN (frames|functions|threads|images|loaded_images|reports|logs|files|stacks|signatures|f|c|i|s)\\\\b", words): print(words, "in", question)
                """
            let result = try run("python3", ["-c", script, path, folder + "/questions"])
            #expect(result.status == 0 && result.output.isEmpty, "\(result.output) \(result.errors)")
        }
    }

    @Test func `what two stores share is told by the stacks, and shares are compared`() throws {
        try withTemporaryFolder { folder in
            let paths = [folder + "/a.sqlite", folder + "/b.sqlite"]
            for path in paths { try fillStore(path) }
            // The second: the first group has another name; of the second there are 27 reports
            // more; the third is gone; two reports of a stack that nobody has seen.
            let changes = """
                import sqlite3, sys
                store = sqlite3.connect(sys.argv[1])
                store.execute("UPDATE crash_groups SET id = 'dddd000000000001' WHERE id = 'aaaa000000000001'")
                store.execute("UPDATE signatures SET crash_group = 'dddd000000000001' WHERE crash_group = 'aaaa000000000001'")
                for table, column in [("threads", "report"), ("loaded_images", "report"), ("reports", "id")]: store.execute(f"DELETE FROM {table} WHERE {column} = 10")
                store.execute("DELETE FROM signatures WHERE id = 4")
                store.execute("INSERT INTO signatures SELECT 5, family, words, 'SIGSEGV in novel', 'e5', 'o5', 0, NULL, replace(frames, 'lost', 'novel'), 'eeee000000000005' FROM signatures WHERE id = 3")
                for number in range(29): store.execute("INSERT INTO reports (id, log, number, format, signature) VALUES (?, 9, ?, 'glibc', ?)", (100 + number, 1 + number, 3 if number < 27 else 5))
                store.commit()
                """
            try run("python3", ["-c", changes, paths[1]]).requireSuccess()
            let difference = try StoreDifference(DatabaseQueries(path: paths[0]), DatabaseQueries(path: paths[1]))
            #expect(difference.before == 10 && difference.after == 38 && !difference.hasDifferentRules)
            let reported = difference.groups.map { "\($0.change) \($0.before) \($0.after) \($0.idBefore ?? "-") \($0.idAfter ?? "-")" }
            // 3 of 10 become 30 of 38: 0.489 is more than twice √(33/48 · 15/48 · (1/10 + 1/38)) =
            // 0.165. 6 of 10 become 6 of 38: 0.442 is more than twice √(12/48 · 36/48 · (1/10 +
            // 1/38)) = 0.154.
            #expect(
                reported == [
                    "new 0 2 - eeee000000000005", "gone 1 0 \(Self.third) -", "grown 3 30 \(Self.second) \(Self.second)",
                    "shrunk 6 6 \(Self.first) dddd000000000001",
                ])
        }
    }

    /// 10 of 100 and 30 of 100 differ by 0.2, twice the standard error of which is 2 √(0.2 · 0.8 ·
    /// 0.02) = 0.113; 10 and 12 of 100 by 0.02, and 2 √(0.11 · 0.89 · 0.02) = 0.088.
    @Test(arguments: [
        (10, 30, StoreDifference.Change.grown), (30, 10, .shrunk), (10, 12, .same), (0, 1, .new), (1, 0, .gone), (100, 100, .same),
    ])
    func `a share that chance explains has not changed`(before: Int, after: Int, change: StoreDifference.Change) {
        #expect(StoreDifference.change(before, after, (100, 100)) == change)
    }

    @Test func `a table has every column in every row, and no formula`() throws {
        try requested { store in
            for content in ExportContent.allCases {
                var counts: [Int] = []
                try store.forEachRow(of: content, ofGroup: nil) { row in
                    counts.append(row.count)
                    return true
                }
                #expect(Set(counts) == [content.columns.count])
                // Groups, reports, and three frames each of reports 1 to 5, one each of 6 to 10.
                #expect(counts.count == [3, 11, 20][ExportContent.allCases.firstIndex(of: content) ?? 0])
            }
            var writer = ExportWriter(.groups, format: .csv)
            var bytes: [UInt8] = []
            writer.append(
                [.text("=1+1"), .text("a \"b\"\n\u{1b}"), .integer(-1), .flag(true), .text(nil), .text(" \u{FF1D}x")], to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "\"'=1+1\",\"a \"\"b\"\"\n\\u{1b}\",-1,true,,\"' \u{FF1D}x\"\r\n")
        }
    }

    /// 2024-10-05 05:00 in UTC is day 20001 and five hours. `date` gives clocks of the zone that
    /// the test runs in.
    @Test func `instants are read and written in the reader's zone`() throws {
        let instant = 20001 * Self.day + 5 * Self.hour
        let expected = try run("date", ["-d", "2024-10-05T05:00:00Z", "+%Y-%m-%d %H:%M %z"]).output
        #expect(ReadableTime.text(instant) + "\n" == expected)
        #expect(ReadableTime.utc(instant) == "2024-10-05T05:00:00Z")
        #expect(ReadableTime.instant("2024-10-05T05:00:00Z") == instant && ReadableTime.instant("2024-10-05 07:00:00 +0200") == instant)
        let local = try run("date", ["-d", "2024-10-05T05:00:00Z", "+%Y-%m-%dT%H:%M:%S"]).output.filter { !$0.isNewline }
        #expect(ReadableTime.instant(local) == instant)
        #expect(ReadableTime.instant("7d", now: instant) == instant - 7 * Self.day)
        #expect(ReadableTime.instant("12h", now: instant) == instant - 12 * Self.hour)
        for day in ["today", "yesterday"] {
            // `date` has the reader's zone, and its own rule for what a day is.
            let expected = try run("date", ["-d", day == "today" ? "2024-10-05 00:00" : "2024-10-04 00:00", "+%s"]).output
            let noon = try run("date", ["-d", "2024-10-05 12:00", "+%s"]).output
            func instant(_ text: String) throws -> Int64 { try #require(Int64(text.filter { !$0.isNewline })) * 1_000_000_000 }
            let (now, start) = (try instant(noon), try instant(expected))
            #expect(ReadableTime.instant(day, now: now) == start)
        }
        for text in ["", "d", "-1d", "tomorrow", "99999999999999w", "2024-13-05"] {
            #expect(ReadableTime.instant(text, now: instant) == nil, "\(text)")
        }
    }

    /// The views are for other programs. With columns missing there would be no results.
    @Test(arguments: [("4: views", true), ("3: meanings", false), ("6: shared texts", false)])
    func `a store of an older version is read if no query needs what it lacks`(step: String, isRead: Bool) throws {
        try withMadeStore { path in
            let database = try Database(path: path)
            for view in ["top_groups", "group_reports", "missing_symbols", "group_days"] { try database.execute(sql: "DROP VIEW \(view)") }
            try database.execute(sql: "DELETE FROM grdb_migrations WHERE identifier = ?", arguments: [step])
            if isRead {
                #expect(try DatabaseQueries(path: path).groups(.reports, since: nil, limit: 10).count == 3)
            } else {
                let error = #expect(throws: StoreError.self) { try DatabaseQueries(path: path) }
                #expect(error?.problem.hasPrefix("an older cairn wrote this store") == true)
            }
        }
    }

    @Test func `no question makes a store or changes one`() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/none.sqlite"
            #expect(throws: StoreError.self) { try DatabaseQueries(path: path) }
            #expect(!TestPaths.isReadable(path))
            try writeFile(path, Array(repeating: UInt8(ascii: "x"), count: 4096))
            let error = #expect(throws: StoreError.self) { try DatabaseQueries(path: path) }
            #expect(error?.problem == "not a crash store: expected an SQLite file, or no file")
            let empty = folder + "/empty.sqlite"
            try writeFile(empty, [])
            #expect(throws: StoreError.self) { try DatabaseQueries(path: empty) }
            #expect(try readFile(empty).isEmpty)
        }
    }
}

/// Makes a store with the rows of `MadeStore`.
func fillStore(_ path: String) throws {
    do { _ = try DatabaseStore(path: path) }
    try MadeStore.fill(path)
}

/// Calls `body` with the path of a store with the rows of `MadeStore`, which then goes.
func withMadeStore<Result>(_ body: (_ path: String) throws -> Result) throws -> Result {
    try withTemporaryFolder { folder in
        try fillStore(folder + "/crashes.sqlite")
        return try body(folder + "/crashes.sqlite")
    }
}
