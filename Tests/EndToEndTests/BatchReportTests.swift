import TestSupport
import Testing

/// `cairn batch --report` as it is run.
struct BatchReportTests {
    private func batch(_ folder: String, _ arguments: String...) throws -> RunResult {
        try run(TestPaths.cairn, ["batch"] + arguments, directory: folder)
    }

    private func withLogs(_ body: (_ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/logs")
            for name in ["apple-ips", "go-panic", "rust-panic"] {
                try run("cp", ["-r", TestPaths.fixture("logs/" + name), folder + "/logs/"]).requireSuccess()
            }
            try body(folder)
        }
    }

    /// Judged by another program's parsers and its own reading of the store
    /// (`Tests/Pages/check.py`).
    @Test func `a run's pages lie among its logs, and the next run does not read them`() throws {
        try withLogs { folder in
            let first = try batch(folder, "logs", "--report", "logs/pages")
            #expect(first.errors.isEmpty && first.output.contains("logs/pages/index.html"), "\(first.output)\(first.errors)")
            let files = try #require(first.lines.first { $0.contains(" files: ") })
            let second = try batch(folder, "logs", "--report", "logs/pages/")
            #expect(
                second.lines.contains { $0.hasPrefix(files.prefix { $0 != ":" } + ": 0 new crash logs, ") }, "\(files)\n\(second.output)")
            let checked = try run("python3", [TestPaths.root + "/Tests/Pages/check.py", "logs/pages", "crashes.sqlite"], directory: folder)
            #expect(checked.status == 0 && checked.lines.count == 1, "\(checked.output)\(checked.errors)")
            // No page leads to a log, which is not there where pages are published.
            // The symbolicated log is a page itself.
            let list = String(decoding: try readFile(folder + "/logs/pages/reports/all-time-1.html"), as: UTF8.self)
            #expect(list.contains("logs/apple-ips/CrashExample-bad-access/bad-access.ips") && !list.contains("href=\"../../"))
            let reports = TestPaths.files(under: folder + "/logs/pages/reports").filter { $0.contains("/report-") && $0.hasSuffix(".html") }
            #expect(
                try reports.contains {
                    String(decoding: try readFile($0), as: UTF8.self).contains("-[CrashExampleAppDelegate performTransition]")
                })
        }
    }

    @Test func `a folder that is not ours is refused before the work`() throws {
        try withLogs { folder in
            try makeFolders(folder + "/mine")
            try writeFile(folder + "/mine/thesis.txt", [1])
            let result = try batch(folder, "logs", "--report", "mine")
            #expect(result.status == 1)
            #expect(
                result.errors
                    == "cairn: error: batch: mine: not a cairn report (it has thesis.txt); refusing to overwrite. Choose an empty or new directory\n",
                "\(result.errors)")
            #expect(!TestPaths.isReadable(folder + "/crashes.sqlite"))
            #expect(try readFile(folder + "/mine/thesis.txt") == [1])
        }
    }

    @Test func `pages of a store that is there read no log, and a store that is not is no store`() throws {
        try withLogs { folder in
            _ = try batch(folder, "logs", "--quiet")
            try run("rm", ["-r", folder + "/logs"]).requireSuccess()
            let result = try batch(folder, "report", "pages")
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            let index = String(decoding: try readFile(folder + "/pages/index.html"), as: UTF8.self)
            #expect(index.contains("CrashExample") && !index.contains("type=\"text/plain\""))
            let missing = try batch(folder, "report", "pages", "--store", "other.sqlite")
            #expect(missing.status == 1 && missing.errors.contains("other.sqlite: no such file"), "\(missing.errors)")
            // The pages before stay.
            #expect(String(decoding: try readFile(folder + "/pages/index.html"), as: UTF8.self) == index)
        }
    }
}
