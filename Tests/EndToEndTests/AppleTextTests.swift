import TestSupport
import Testing

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
            let answered = try cairn(folder + "/report.txt", "--symbols", binary, "-q")
            #expect(answered.status == 0, "\(answered.errors)")
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
