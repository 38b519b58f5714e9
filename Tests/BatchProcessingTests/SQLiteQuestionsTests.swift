#if Batch
    @testable import BatchProcessing
    import TestSupport
    import Testing

    /// The answers beside the rows of `MadeStore`, where every number is counted.
    struct SQLiteQuestionsTests {
        private static let day: Int64 = 86_400_000_000_000
        private static let hour: Int64 = 3_600_000_000_000
        private static let first = "aaaa000000000001"
        private static let second = "aaaa000000000002"
        private static let third = "b000000000000003"

        private func asked<Result>(_ body: (SQLiteQuestions) throws -> Result) throws -> Result {
            try withTemporaryFolder { folder in
                let path = folder + "/crashes.sqlite"
                do { _ = try SQLiteStore(path: path) }
                try MadeStore.fill(path)
                return try body(try SQLiteQuestions(path: path))
            }
        }

        @Test func `groups come by their reports, by what is latest and by what is new`() throws {
            try asked { store in
                let groups = try store.groups(.reports, since: nil, limit: 10)
                #expect(groups.map(\.id) == [Self.first, Self.second, Self.third])
                #expect(groups.map(\.reports) == [6, 3, 1] && groups.map(\.logs) == [5, 3, 1])
                #expect(groups[0].versions == [Tally(value: "2.0", count: 3), Tally(value: "1.0", count: 2), Tally(value: nil, count: 1)])
                #expect(groups[0].versionCount == 3 && groups[0].words == "SIGSEGV" && groups[0].family == "crash")
                #expect(groups.map(\.lacksSymbols) == [false, true, false])
                #expect(groups[1].first == -Self.hour && groups[1].last == 20002 * Self.day + Self.hour)
                #expect(try store.groups(.last, since: nil, limit: 10).map(\.id) == [Self.third, Self.second, Self.first])
                #expect(try store.groups(.first, since: nil, limit: 2).map(\.id) == [Self.third, Self.first])
            }
        }

        @Test func `of a period only its reports count`() throws {
            try asked { store in
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
            try asked { (store: SQLiteQuestions) throws in
                let expected: [(String, GroupMatch)] = [
                    (Self.first, .found(id: Self.first, former: nil)), ("b000", .found(id: Self.third, former: nil)),
                    ("B000", .found(id: Self.third, former: nil)), ("aaaa", .several([Self.first, Self.second])),
                    ("cccc", .found(id: Self.first, former: "cccc000000000009")), ("dddd", .none),
                ]
                for (beginning, match) in expected { #expect(try store.match(group: beginning) == match) }
            }
        }

        @Test func `a group is told with its stacks, its reports and what is missing`() throws {
            try asked { store in
                let group = try #require(try store.detail(ofGroup: Self.first, QuestionLimits()))
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
                // Report 1 stands for the group; then those that happened last: 4 (05:00 of day 20001), 5 (01:00), 3, 2 (01:00 of day 20000), and 6, which does not tell.
                #expect(group.examples.map(\.id) == [1, 4, 5, 3, 2, 6])
                #expect(group.examples[0].paths == ["/copy/1.crash", "/logs/1.crash"] && group.examples[0].pathCount == 2)
                #expect(group.examples[0].faultAddress == UInt64.max && group.examples[0].log == String(repeating: "0", count: 63) + "1")
                #expect(group.missingImages.map(\.name) == ["libmissing"] && group.missingImages.map(\.reports) == [5])
                #expect(try store.detail(ofGroup: "0000000000000000", QuestionLimits()) == nil)
            }
        }

        @Test func `days before 1970 are days as others`() throws {
            try asked { (store: SQLiteQuestions) throws in
                #expect(
                    try store.days(ofGroup: Self.second, limit: 10) == [DayCount(day: -1, count: 1), DayCount(day: 20002, count: 2)])
                #expect(try store.instants(ofGroup: Self.second, limit: 2) == [20002 * Self.day, 20002 * Self.day + Self.hour])
                #expect(try store.days(ofGroup: nil, limit: 100).map(\.count) == [1, 2, 3, 2, 1])
                #expect(DayCount(day: -1, count: 1).start == -Self.day)
            }
        }

        @Test func `no list is longer than its limit`() throws {
            try asked { store in
                var limits = QuestionLimits()
                (limits.tallies, limits.stacks, limits.frames, limits.examples, limits.paths, limits.days) = (1, 1, 2, 1, 1, 1)
                let group = try #require(try store.detail(ofGroup: Self.first, limits))
                #expect(group.breakdown.versions == [Tally(value: "2.0", count: 3)])
                #expect(group.stacks.map(\.frames.count) == [2] && group.stackCount == 2 && group.stacks[0].rows == 2)
                #expect(group.examples.map(\.paths) == [["/copy/1.crash"]] && group.examples[0].pathCount == 2)
                #expect(group.days == [DayCount(day: 20001, count: 3)])
            }
        }

        @Test func `the whole store is told with what is missing in it`() throws {
            try asked { store in
                let store = try store.overview(QuestionLimits())
                #expect(store.files == 13 && store.logs == 12 && store.logsWithoutTrace == 1 && store.unreadableLogs == 1)
                #expect(store.reports == 11 && store.groups == 3 && store.ungroupedReports == 1 && store.reportsWithoutInstant == 2)
                #expect(store.reportsLackingSymbols == 3 && store.reportsWithoutStack == 0 && store.unreadFiles == 1)
                #expect(store.first == -Self.hour && store.last == 20003 * Self.day)
                #expect(store.frames == 6 && store.unansweredFrames == 3)
                #expect(store.unread.map(\.path) == ["/logs/12.crash", "/logs/locked"])
                #expect(store.unread.map(\.problem) == ["cut off", "permission denied"])
                // Of five reports of the first group and three of the second; libother was never asked for.
                #expect(store.missingImages.map(\.reports) == [8] && store.missingImageCount == 1)
                #expect(store.runs.map(\.logs) == [12] && store.runs[0].roots == ["/logs"])
            }
        }

        @Test func `reports are handed out one by one until no more are wanted`() throws {
            try asked { store in
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
            try asked { store in
                func found(_ text: String) throws -> [String] {
                    try store.search(text, limit: 10).groups.map { "\($0.id) \($0.matching)" }
                }
                let inner = try store.search("INNER", limit: 10)
                #expect(inner.groups.map(\.id) == [Self.first] && inner.groups[0].matching == 5 && inner.groups[0].reports == 6)
                #expect(inner.groups[0].matches == [FoundText(place: .function, text: "inner")])
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

        @Test func `no question makes a store or changes one`() throws {
            try withTemporaryFolder { folder in
                let path = folder + "/none.sqlite"
                #expect(throws: StoreError.self) { try SQLiteQuestions(path: path) }
                #expect(!TestPaths.isReadable(path))
                try writeFile(path, Array(repeating: UInt8(ascii: "x"), count: 4096))
                let error = #expect(throws: StoreError.self) { try SQLiteQuestions(path: path) }
                #expect(error?.problem == "it is no store: expected a file of SQLite, or none")
                let empty = folder + "/empty.sqlite"
                try writeFile(empty, [])
                #expect(throws: StoreError.self) { try SQLiteQuestions(path: empty) }
                #expect(try readFile(empty).isEmpty)
            }
        }
    }
#endif
