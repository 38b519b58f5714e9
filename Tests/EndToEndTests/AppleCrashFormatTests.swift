import TestSupport
import Testing

/// `--format apple-crash`, and what a terminal gets of logs that nobody reads as they are.
struct AppleCrashFormatTests {
    private let ips = "logs/apple-ips/CrashExample-exception/exception.ips"
    private let binaries = "binaries/CrashExample"

    /// `0   CrashExample                  \t       0x10289ca54 main + 48 (main.m:9)`
    private struct Row: Equatable {
        var index: String
        var image: String
        var address: UInt64
        var symbol: String

        init?(_ line: String) {
            let halves = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard halves.count == 2, halves[0].utf8.count == 34 else { return nil }
            let (head, fields) = (halves[0].split(separator: " "), halves[1].split(separator: " ", maxSplits: 1))
            guard head.count == 2, fields.count == 2, let value = UInt64(fields[0].dropFirst(2), radix: 16) else { return nil }
            (index, image, address, symbol) = (String(head[0]), String(head[1]), value, String(fields[1]))
        }
    }

    @Test(arguments: [
        "logs/apple-ips/CrashExample-exception/exception.ips", "logs/apple-ips/CrashExample-bad-access/bad-access.ips",
        "logs/plcrashreporter/CrashExample-bad-access/bad-access.plcrash",
    ])
    func `the rows are the log's frames, symbolicated`(log: String) throws {
        let written = try cairn(log, "-s", binaries, "--format", "apple-crash")
        #expect(written.status == 0)
        let rows = written.lines.compactMap { Row($0) }
        let report = try #require(try jsonLogs(try cairn(log, "-s", binaries, "--format", "json")).first)
        let frames = (report.exceptionBacktrace?.frames ?? []) + report.threads.flatMap(\.frames)
        #expect(rows.count == frames.count && !rows.isEmpty)
        var lines = 0
        for (row, frame) in zip(rows, frames) {
            #expect(row.index == "\(frame.index)")
            #expect(row.address == frame.address.flatMap { UInt64($0.dropFirst(2), radix: 16) })
            #expect(row.image == frame.image.map { report.images[$0].name })
            guard let function = frame.functions?.first, frame.status == "resolved" else { continue }
            lines += 1
            let file = function.file?.split(separator: "/").last.map(String.init) ?? ""
            #expect(row.symbol == "\(function.name) + \(function.offset ?? 0) (\(file):\(function.line ?? 0))")
        }
        #expect(lines > 3)
        // It is read again as what it is, and nothing is lost on the way.
        let again = try #require(try jsonLogs(try cairn("-", "-s", binaries, "--format", "json", input: written.output)).first)
        #expect(again.format == "apple-crash")
        #expect(again.threads.map { $0.frames.map(\.address) } == report.threads.map { $0.frames.map(\.address) })
        #expect(again.threads.map(\.crashed) == report.threads.map(\.crashed))
        #expect(again.images.map(\.id) == report.images.map(\.id))
    }

    /// Apple's own translation of the same `.ips` came with it (MacSymbolicator's tests).
    @Test(.enabled(if: TestPaths.corpus != nil, "the corpus of real logs is not here (CAIRN_CORPUS)"))
    func `every line is one of Apple's translation, in its order`() throws {
        let corpus = TestPaths.corpus ?? ""
        let log = corpus + "/logs/apple-ips/macsymbolicator-2022-single-target-crash.ips"
        let apple = String(
            decoding: try readFile(corpus + "/logs/apple-crash/macsymbolicator-2022-single-target-crash.crash"), as: UTF8.self
        ).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let ours = try cairn(log, "--format", "apple-crash", "-q", "--no-local").output.split(separator: "\n").map(String.init)
        #expect(ours.count > 30)
        var start = 0
        for line in ours {
            // Apple adds what the number means.
            let found = apple[start...].firstIndex { line.hasPrefix("Error Code: ") ? $0.hasPrefix(line) : $0 == line }
            guard let found else {
                Issue.record("not in Apple's report, or not there: \(line)")
                continue
            }
            start = found + 1
        }
    }

    @Test func `Apple's own text is symbolicated in place, and other systems have the older layout`() throws {
        let crash = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"
        #expect(try cairn(crash, "-s", binaries, "--format", "apple-crash").output == (try cairn(crash, "-s", binaries)).output)
        let kscrash = try #require(try run("sh", ["-c", "ls logs/kscrash-json/*/*.json"], directory: TestPaths.fixture("")).lines.first)
        let phone = try cairn(kscrash, "--format", "apple-crash", "-q")
        #expect(phone.status == 0 && phone.lines.contains { $0.hasPrefix("Exception Type: ") && !$0.isEmpty }, "\(phone.output)")
    }

    @Test func `a terminal gets text of JSON and binary logs, pipes and files get the log`() throws {
        let shown = try onTerminal([TestPaths.fixture(ips), "-q", "--no-local"], environment: ["TERM": "dumb"])
        let text = try cairn(TestPaths.fixture(ips), "-q", "--no-local", "--format", "text")
        #expect(shown.status == 0 && shown.output == text.output)
        let same = try cairn(TestPaths.fixture(ips), "-q", "--no-local")
        #expect(same.output.hasPrefix("{\"app_name\""))
        #expect(try onTerminal([TestPaths.fixture(ips), "-q", "--no-local", "--format", "same"]).output == same.output)
        try withTemporaryFolder { folder in
            let saved = try onTerminal([TestPaths.fixture(ips), "-q", "--no-local", "-o", folder + "/out.ips"])
            #expect(saved.status == 0 && saved.output.isEmpty)
            #expect(try readFile(folder + "/out.ips") == Array(same.output.utf8))
        }
        // A binary log, which cannot be written as it is: a pipe gets the text, too.
        let binary = TestPaths.fixture("logs/plcrashreporter/CrashExample-bad-access/bad-access.plcrash")
        #expect(try onTerminal([binary, "-q", "--no-local"]).output.contains("CrashExample [5120]"))
        #expect(try cairn(binary, "-q", "--no-local").output == (try cairn(binary, "-q", "--no-local", "--format", "text").output))
        #expect(try cairn(binary, "-q", "--no-local", "--format", "same").status == 1)
        // Text is text.
        let crash = TestPaths.fixture("logs/apple-crash/CrashExample-bad-access/bad-access.crash")
        let plain = try cairn(crash, "-q", "--no-local")
        #expect(try onTerminal([crash, "-q", "--no-local"]).output.filter { $0 != "\t" } == plain.output.filter { $0 != "\t" })
    }

    @Test func `a dumb terminal gets no colors`() throws {
        let arguments = [TestPaths.fixture(ips), "-q", "--format", "text"]
        #expect(try onTerminal(arguments, environment: ["TERM": "xterm"]).output.contains("\u{1B}[1m"))
        #expect(!(try onTerminal(arguments, environment: ["TERM": "dumb"]).output.contains("\u{1B}")))
    }
}

/// Apple's reports in other wrappings, through the command.
struct AppleTextTests {
    private let binary = "binaries/CrashExample/out/CrashExample"
    private let text = "logs/apple-crash/CrashExample-exception/exception.crash"
    private let json = "logs/apple-ips/CrashExample-exception/exception.ips"

    /// Console and Finder's preview give an `.ips` as its translation, followed by the file itself.
    @Test func `a translated report and the full report below it are both answered`() throws {
        try withTemporaryFolder { folder in
            let parts = [
                "-------------------------------------\nTranslated Report (Full Report Below)\n-------------------------------------\n\n",
                String(decoding: try readFile(TestPaths.fixture(text)), as: UTF8.self), "\n\n-----------\nFull Report\n-----------\n\n",
                String(decoding: try readFile(TestPaths.fixture(json)), as: UTF8.self), "\nModel: MacBookPro18,1\n",
            ]
            try writeFile(folder + "/report.txt", Array(parts.joined().utf8))
            let answered = try cairn(folder + "/report.txt", "--symbols", binary, "-q").requireSuccess()
            let alone = try [text, json].map { try cairn($0, "--symbols", binary, "-q").output }
            #expect(answered.output == parts[0] + alone[0] + parts[2] + alone[1] + parts[4])
            let reports = try jsonLogs(try cairn(folder + "/report.txt", "--symbols", binary, "--format", "json", "-q"))
            #expect(reports.map(\.format) == ["apple-crash", "apple-ips"])
            let note = "This is the full form of the translated report above it: one crash, printed twice."
            #expect(reports.map { $0.notes?.contains(note) ?? false } == [false, true])
        }
    }

    @Test func `a binary report is not written as text, and cairn says what to do`() throws {
        let log = "logs/plcrashreporter/CrashExample-bad-access/bad-access.plcrash"
        let same = try cairn(log, "--symbols", binary, "-q", "--format", "same")
        #expect(same.status == 1 && same.standardOutput.isEmpty)
        #expect(
            same.errors
                == "cairn: error: \(log): plcrashreporter is binary, so it cannot be written as text. Use --format text or --format json\n")
        let text = try cairn(log, "--symbols", binary, "--format", "text", "-q")
        #expect(text.errors == "" && text.output.contains("-[CrashExampleAppDelegate performTransition] + 20"))
        // If no format was chosen, that is the text.
        #expect(try cairn(log, "--symbols", binary, "-q").output == text.output)
        #expect(try cairn("formats", log).output == "\(log): plcrashreporter\n")
    }
}
