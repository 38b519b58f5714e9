import TestSupport
import Testing

/// Every fixture log against the results that llvm-symbolizer gives for its addresses
/// (`expected.tsv` beside it): functions, inlined calls, files, lines.
struct ExpectedAnswersTests {
    /// Logs with an `expected.tsv`, whose frames carry addresses. (Swift's `friendly` preset leaves
    /// them out.)
    static let logs: [String] = {
        let found = try? run("find", ["logs", "-name", "expected.tsv"], directory: TestPaths.fixture(""))
        return (found?.lines ?? []).sorted().flatMap { table -> [String] in
            let folder = String(table.dropLast("/expected.tsv".count))
            let names = (try? run("ls", [folder], directory: TestPaths.fixture("")).lines) ?? []
            return names.filter { name in
                !["expected", "addresses", "differences", "friendly"].contains { name.hasPrefix($0) }
            }.map { folder + "/" + $0 }
        }
    }()

    /// All logs in one run: the first report of each.
    private static let symbolicated = Result {
        let result = try cairn(["symbolicate"] + logs + ["--symbols", "binaries", "--format", "json", "--quiet"])
        return (status: result.status, reports: Dictionary(try jsonLogs(result).map { ($0.log, $0) }) { first, _ in first })
    }

    @Test func `all logs are symbolicated`() throws { #expect(try Self.symbolicated.get().status == 0 && !Self.logs.isEmpty) }

    @Test(arguments: logs)
    func `frames are answered as expected`(log: String) throws {
        let report = try #require(try Self.symbolicated.get().reports[log])
        let folder = log[..<(log.lastIndex(of: "/") ?? log.endIndex)]
        var expected: [[[String: String]]] = []
        for row in try table(TestPaths.fixture("\(folder)/expected.tsv")) {
            let isInner = (Int(row["inline_depth"] ?? "") ?? 0) > 0
            if isInner, !expected.isEmpty { expected[expected.count - 1].append(row) } else { expected.append([row]) }
        }
        var compared = 0
        for rows in expected where rows[0]["function"] != "" {
            let address = try #require(UInt64(rows[0]["address"]?.dropFirst(2) ?? "", radix: 16))
            // A preset that hides frames of the system renumbers the others, so frames are found by
            // their addresses; a format without threads has everything in the exception's
            // backtrace.
            let frames = report.frames(ofThread: rows[0]["thread"] ?? "") ?? report.exceptionBacktrace?.frames ?? []
            let frame = frames.first { frame in
                frame.inlined != true && frame.address.flatMap { UInt64($0.dropFirst(2), radix: 16) } == address
            }
            guard let frame else {
                #expect(log.hasSuffix("medium.txt"), "frame \(rows[0]) is missing")
                continue
            }
            compared += 1
            #expect(frame.status == "resolved" || frame.status == "symbolOnly", "\(frame)")
            #expect(frame.functions?.map(\.name) == rows.map { $0["function"] ?? "" })
            #expect(frame.functions?.map { $0.mangledName ?? $0.name } == rows.map { $0["linkage_name"] ?? "" })
            #expect(frame.functions?.map { $0.file ?? "" } == rows.map { $0["file"] ?? "" })
            #expect(frame.functions?.map { String($0.line ?? 0) } == rows.map { $0["line"] == "" ? "0" : $0["line"] ?? "" })
            #expect(frame.functions?.map { String($0.column ?? 0) } == rows.map { $0["column"] == "" ? "0" : $0["column"] ?? "" })
            #expect(frame.functions?.dropLast().allSatisfy { $0.inlined == true } ?? false)
        }
        // Threads of the asynchronous program have other numbers in each run.
        #expect(compared > 0 || log.hasSuffix("SwiftAsyncCrash/medium.txt"))
    }

    /// The raw addresses minus the entries of the functions as llvm-nm lists them:
    /// -[CrashExampleAppDelegate performTransition] is at 0x4a40 of the arm64 slice, linked at
    /// 0x4000, so image offset 2708 (0xa94) is 0xa94 - 0xa40 = 84 bytes into it.
    @Test func `offsets count from the function's entry to the raw address`() throws {
        let log = "logs/apple-ips/CrashExample-exception/exception.ips"
        let report = try #require(try jsonLogs(try cairn(log, "--symbols", "binaries", "--format", "json")).first)
        let frame = try #require(report.exceptionBacktrace?.frames.first { $0.imageOffset == "0xa94" })
        #expect(frame.functions?.map(\.offset) == [84])
    }
}
