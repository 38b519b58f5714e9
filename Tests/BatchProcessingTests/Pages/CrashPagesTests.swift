import BatchProcessing
import TestSupport
import Testing

/// Pages of a store whose texts are as nasty as logs can make them, judged by parsers and a
/// database that are not ours (`Tests/Pages`).
struct CrashPagesTests {
    /// Python with an SQLite of its own, run on a script of `Tests/Pages`.
    private func python(_ script: String, _ arguments: String...) throws -> RunResult {
        try run("python3", [TestPaths.root + "/Tests/Pages/" + script] + arguments)
    }

    private func withStore(_ body: (_ folder: String, _ store: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let store = folder + "/crashes.sqlite"
            do { _ = try DatabaseStore(path: store) }
            try body(folder, store)
        }
    }

    /// 2026-03-27 00:00 UTC, a day after the latest report that `fill.py` may make.
    private static let now: Int64 = 1_774_569_600_000_000_000

    private func write(_ store: String, _ path: String) throws -> Int {
        try CrashPages(
            try DatabaseQueries(path: store), path: path, title: "<b>\"crashes\"", store: store, version: "1", now: Self.now
        ).write()
    }

    @Test func `every page is well-formed, every link leads somewhere, and every number to as many logs`() throws {
        try withStore { folder, store in
            try python("fill.py", store).requireSuccess()
            #expect(try write(store, folder + "/pages") == 3)
            #expect(try run("grep", ["-rlF", "Meaning, in the representative report", folder + "/pages/groups"]).lines.count == 2)
            // `fill.py` has one report of 2005, and a third of the files have a time.
            let index = String(decoding: try readFile(folder + "/pages/index.html"), as: UTF8.self)
            #expect(index.contains(">1 earlier report</a>") && index.contains("reports without a timestamp are at the time of their file."))
            let checked = try python("check.py", folder + "/pages", store).requireSuccess()
            let summary = try #require(checked.lines.last?.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) })
            #expect(checked.lines.count == 1, "\(checked.output)")
            // 1,300 reports, 100 a page: the store's list by time has 13 pages, and the groups' of
            // 900, 300 and 99 reports have 9 + 3 + 1. Of their versions and days each is a number
            // with its list.
            #expect(summary.first ?? 0 > 26 && summary.last ?? 0 > 100, "\(summary)")
        }
    }

    @Test func `a store without anything has a page`() throws {
        try withStore { folder, store in
            #expect(try write(store, folder + "/pages") == 0)
            let checked = try python("check.py", folder + "/pages", store)
            #expect(checked.lines.count == 1 && checked.status == 0, "\(checked.output)\(checked.errors)")
        }
    }

    @Test func `an earlier report is replaced, and anything else is refused`() throws {
        try withStore { folder, store in
            let pages = folder + "/pages"
            _ = try write(store, pages)
            try writeFile(pages + "/groups/0123456789abcdef.html", [])
            _ = try write(store, pages)
            #expect(!TestPaths.isReadable(pages + "/groups/0123456789abcdef.html"))
            for foreign in ["notes.txt", "groups/notes.txt", "reports/UPPER.html"] {
                try writeFile(pages + "/" + foreign, [1])
                #expect(throws: PageError.self) { _ = try write(store, pages) }
                #expect(try readFile(pages + "/" + foreign) == [1])
                _ = try run("rm", [pages + "/" + foreign])
            }
            // Without the mark it is not a report, even if it has a report's files.
            _ = try run("rm", [pages + "/cairn-report.txt"])
            #expect(throws: PageError.self) { _ = try write(store, pages) }
            #expect(throws: PageError.self) { _ = try write(store, store) }
            // Nothing of the attempts is left.
            #expect(try run("ls", ["-A", folder]).lines.filter { $0.hasPrefix(".cairn-") } == [])
        }
    }
}
