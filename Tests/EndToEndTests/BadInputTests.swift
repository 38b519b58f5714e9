import TestSupport
import Testing

/// Hostile and broken input: a one-line error or a report with notes; never a trap, whatever the
/// options.
struct BadInputTests {
    static let logs: [String] =
        (try? run("find", ["hostile/logs", "-type", "f", "!", "-name", "README.md"], directory: TestPaths.fixture("")).lines.sorted()) ?? []

    @Test(arguments: logs)
    func `a broken log ends with a status, not with a signal`(log: String) throws {
        for format in ["same", "text", "json"] {
            let result = try cairn(log, "--symbols", "binaries", "--format", format)
            #expect([0, 1].contains(result.status), "\(format): status \(result.status)")
            for line in result.errors.split(separator: "\n") { #expect(line.hasPrefix("cairn: "), "\(line)") }
            if format == "json" { _ = try jsonLogs(result) }
            if result.status == 1, format == "same" { #expect(!result.errors.isEmpty) }
        }
    }

    /// The log itself comes out whole. Where the report is written as well, it says so itself.
    @Test func `what a report leaves out because of a cap is told beside the log`() throws {
        let crashed = #"{ "crashed": true, "frames": [ { "kind": "programCounter", "address": "0x10" } ] }"#
        func log(threads: Int) -> String {
            #"{ "timestamp": "now", "kind": "crashReport", "threads": [ "# + crashed + String(repeating: ", {}", count: threads - 1)
                + " ] }\n"
        }
        let note = "The report has 65536 threads or more: further ones are not in it."
        let whole = try cairn("-", input: log(threads: 65_535))
        #expect(whole.output == log(threads: 65_535) && !whole.errors.contains(note))
        let cut = try cairn("-", input: log(threads: 65_537))
        #expect(
            cut.output == log(threads: 65_537) && cut.errors.split(separator: "\n").first == "cairn: warning: -: \(note)", "\(cut.errors)")
        #expect(try cairn("-", "-q", input: log(threads: 65_537)).errors == "")
        #expect(try cairn("-", "--format", "text", input: log(threads: 65_537)).output.contains("  " + note))
    }

    /// Every fixture log cut off at many places.
    @Test(arguments: ExpectedAnswersTests.logs.filter { !$0.contains("medium") })
    func `a log that ends early is read as far as it goes, or refused`(log: String) throws {
        let bytes = try readFile(TestPaths.fixture(log))
        try withTemporaryFolder { folder in
            let cuts = (1...4).map { (folder + "/\($0)", bytes.count * $0 / 5 + $0) }
            for (path, count) in cuts { try writeFile(path, Array(bytes.prefix(count))) }
            let result = try cairn(cuts.map(\.0) + ["--symbols", "binaries/CrashExample/out", "-q"])
            #expect([0, 1].contains(result.status), "status \(result.status) \(result.errors)")
        }
    }

    /// A symbol file cut off at many places: the frame stays unresolved, with a reason.
    @Test(arguments: [
        "binaries/CrashExample/out/CrashExample.dSYM/Contents/Resources/DWARF/CrashExample", "binaries/SwiftCrash/out/SwiftCrash-O",
    ])
    func `a truncated symbol file is no answer and no trap`(file: String) throws {
        let bytes = try readFile(TestPaths.fixture(file))
        let log =
            file.contains("Swift")
            ? "logs/swift-backtrace/SwiftCrash-O-inlined/off.txt" : "logs/apple-ips/CrashExample-exception/exception.ips"
        let name = String(file.split(separator: "/").last ?? "")
        try withTemporaryFolder { folder in
            for part in 0..<8 {
                try writeFile(folder + "/" + name, Array(bytes.prefix(bytes.count * part / 8)))
                let result = try cairn(log, "--symbols", folder + "/" + name, "--format", "json", "-q")
                #expect(result.status == 0, "\(part)/8: status \(result.status) \(result.errors)")
                let report = try #require(try jsonLogs(result).first)
                let frames = (report.threads.flatMap(\.frames) + (report.exceptionBacktrace?.frames ?? []))
                #expect(frames.allSatisfy { $0.status != "unresolved" || $0.reason != nil })
            }
        }
    }
}
