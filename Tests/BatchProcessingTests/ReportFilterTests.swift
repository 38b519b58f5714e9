import TestSupport
import Testing

@testable import BatchProcessing

/// The rows of `MadeStore`, of which only some are looked at.
struct ReportFilterTests {
    private static let day: Int64 = 86_400_000_000_000

    private func requested<Result>(_ filter: ReportFilter, _ body: (DatabaseQueries) throws -> Result) throws -> Result {
        try withMadeStore { path in try body(try DatabaseQueries(path: path, filter: filter)) }
    }

    @Test func `groups count the reports of a version`() throws {
        try requested(ReportFilter(version: "2.0")) { (store: DatabaseQueries) throws in
            let groups = try store.groups(.reports, since: nil, limit: 10)
            // Reports 1, 2 and 3 of the first group, 7, 8 and 9 of the second.
            #expect(groups.map(\.id) == ["aaaa000000000001", "aaaa000000000002"] && groups.map(\.reports) == [3, 3])
            // Reports 1 and 2 are of one log.
            #expect(groups.map(\.logs) == [2, 3])
            #expect(groups[0].first == 20000 * Self.day && groups[0].last == 20001 * Self.day)
            // The representative is the latest of the version.
            #expect(groups.map(\.example) == [3, 9])
            let overview = try store.overview(QueryLimits())
            #expect(overview.reports == 6 && overview.groups == 2 && overview.ungroupedReports == 0)
            // Stacks 100, 101 and 103 with 2 + 1 + 1 frames, of which two are unresolved.
            #expect(overview.frames == 4 && overview.unresolvedFrames == 2)
            #expect(overview.missingImages.map(\.reports) == [6])
            #expect(try store.reportCount(since: 20001 * Self.day) == 3)
            #expect(try store.search("main_loop", limit: 10).groups.map(\.matching) == [3, 3])
            #expect(try store.detail(ofGroup: "aaaa000000000001", QueryLimits())?.summary.reports == 3)
        }
    }

    @Test func `a program's name is text and no SQL`() throws {
        try requested(ReportFilter(process: MadeStore.hostileProcess)) { (store: DatabaseQueries) throws in
            #expect(try store.groups(.reports, since: nil, limit: 10).map(\.id) == ["b000000000000003"])
        }
        try requested(ReportFilter(process: "app' OR '1' = '1")) { (store: DatabaseQueries) throws in
            #expect(try store.overview(QueryLimits()).reports == 0)
        }
        try requested(ReportFilter(process: "app", version: "1.0")) { (store: DatabaseQueries) throws in
            #expect(try store.groups(.reports, since: nil, limit: 10).map(\.reports) == [2])
        }
    }

    /// Log 1, which has reports 1 and 2, has a path in `/copy`; all others are in `/logs`.
    @Test func `a column is a folder in a path of the log`() throws {
        for (columns, reports) in [(["copy"], 2), (["logs"], 11), (["copy", "logs"], 2), (["cop"], 0), (["1.crash"], 0), (["it's"], 0)] {
            try requested(ReportFilter(columns: columns)) { (store: DatabaseQueries) throws in
                #expect(try store.overview(QueryLimits()).reports == reports, "\(columns)")
            }
        }
        let conditions = PruneConditions(filter: ReportFilter(columns: ["copy"]))
        let counts = try withMadeStore { path in try DatabaseStore(path: path).countPruned(conditions) }
        #expect(counts.reports == 2)
    }

    /// Beside it the same store without a filter: the file has what it had.
    @Test func `a filter changes nothing in the store`() throws {
        try withMadeStore { path in
            let filtered = try DatabaseQueries(path: path, filter: ReportFilter(version: "1.0"))
            #expect(try filtered.overview(QueryLimits()).reports == 2)
            #expect(try DatabaseQueries(path: path).overview(QueryLimits()).reports == 11)
        }
    }
}
