import TestSupport
import Testing

/// The bundles in which Xcode's organizer keeps reports.
struct CrashPointTests {
    private let log = "logs/apple-crash/CrashExample-exception/exception.crash"
    private let binary = "binaries/CrashExample/out/CrashExample"

    /// A bundle as Xcode 16 has it: files about the crash, and a folder for each version with its
    /// reports, those that Xcode has symbolicated beside the originals.
    private func withBundle(_ body: (_ bundle: String, _ folder: String) throws -> Void) throws {
        try withTemporaryFolder { folder in
            let bundle = folder + "/Crash.xccrashpoint"
            let filter = bundle + "/Filters/Filter_1.0-com.apple.platform.iphoneos-Any"
            try makeFolders(filter + "/Logs", filter + "/LocallySymbolicated")
            let report = try readFile(TestPaths.fixture(log))
            try writeFile(filter + "/Logs/b.crash", report)
            try writeFile(filter + "/Logs/a.crash", report)
            try writeFile(filter + "/Logs/.DS_Store", [0, 0, 0, 1])
            try writeFile(filter + "/LocallySymbolicated/a.crash", report)
            try writeFile(filter + "/LocallySymbolicated/c.crash", report)
            try writeFile(bundle + "/PointInfo.json", Array("{}".utf8))
            try body(bundle, folder)
        }
    }

    @Test func `a bundle stands for the logs inside, each once`() throws {
        try withBundle { bundle, folder in
            try cairn(bundle + "/", "--symbols", binary, "-q", "-o", folder + "/out").requireSuccess()
            #expect(try run("ls", [folder + "/out"]).lines == ["a.crash", "b.crash", "c.crash"])
            let expected = try cairn(log, "--symbols", binary, "-q").standardOutput
            for name in ["a", "b", "c"] { #expect(try readFile("\(folder)/out/\(name).crash") == expected) }
            let paths = try jsonLogs(try cairn(bundle, "--format", "json", "-q")).map(\.log)
            let inside = "/Filters/Filter_1.0-com.apple.platform.iphoneos-Any/"
            #expect(paths == ["LocallySymbolicated/c.crash", "Logs/a.crash", "Logs/b.crash"].map { bundle + inside + $0 })
        }
    }

    @Test func `formats names what is inside`() throws {
        try withBundle { bundle, _ in
            let result = try cairn("formats", bundle)
            #expect(result.status == 0)
            #expect(result.output.split(separator: "\n").allSatisfy { $0.hasSuffix(".crash: apple-crash") })
            #expect(result.output.split(separator: "\n").count == 3)
        }
    }

    @Test func `a bundle without logs is a fault`() throws {
        try withTemporaryFolder { folder in
            try makeFolders(folder + "/Empty.xccrashpoint")
            for command in ["symbolicate", "formats"] {
                let result = try cairn(command, folder + "/Empty.xccrashpoint")
                #expect(result.status == 1)
                #expect(result.output == "")
                #expect(result.errors == "cairn: error: \(folder)/Empty.xccrashpoint: no log in it: expected Filters/…/Logs with reports\n")
            }
        }
    }

    /// The real bundle's only report, with as many frames as a plain search finds rows that begin
    /// with a number and hold an address.
    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus of real logs is not here (CAIRN_CORPUS)"))
    func `a real bundle's report is recognised`() throws {
        let bundle = (TestPaths.corpus ?? "") + "/logs/xccrashpoint/axiom-sample.xccrashpoint"
        let logs = try jsonLogs(try cairn(bundle, "--format", "json", "-q"))
        #expect(logs.map(\.format) == ["apple-crash"])
        let found = logs.flatMap { $0.threads.flatMap(\.frames) + ($0.exceptionBacktrace?.frames ?? []) }.count
        let count = try run("grep", ["-rcE", "^[0-9]+ +.*0x[0-9a-f]+ ", bundle]).lines.compactMap {
            $0.split(separator: ":").last.flatMap { Int($0) }
        }
        #expect(count == [found])
    }
}
