import BinaryPrimitives
import TestSupport
import Testing

@testable import TestReports

/// Lines that nothing but one look reads give what they give when all of it reads them.
struct LineFeaturesTests {
    /// Outputs of test runners, in files of their own.
    private static let consoles =
        [
            "swift-console", "swift-crash", "cargo-test", "cargo-test-stacks", "go-test", "go-test-v", "pytest-line", "pytest-long",
            "pytest-native",
            "pytest-no", "pytest-short",
        ] + RunnerConsoleTests.runs.map { "runners/" + $0.output } + [
            "runners/ctest", "runners/ctest-j", "runners/node-script", "runners/ctest-checks", "runners/ctest-checks-V",
            "runners/pytest-dies",
            "runners/pytest-dies-v", "runners/meson", "runners/automake", "runners/nextest",
        ]

    private static let signs = Array("TFo=-[t \t:rde.'_(){}\u{25C7}Eabc/019".utf8)

    /// The reader's results for a line, its state after it, and the results at its end.
    private func outcome(_ line: [UInt8], looks: Bool) -> String {
        var reader = ConsoleReader()
        // A test runs, so that its errors count.
        _ = reader.read(Array("Test Case 'A.b' started at 2026-11-22 09:10:14.840".utf8).span)
        let issues = looks ? reader.read(line.span) : reader.read(line.span, LineFeatures(line.span))
        return "\(issues) \(reader) \(reader.finish())"
    }

    @Test(arguments: consoles)
    func `a whole run leaves a reader that looks as it leaves one that reads all`(_ name: String) throws {
        var (looking, reading) = (ConsoleReader(), ConsoleReader())
        let lines = try readFile(TestPaths.fixture("testruns/\(name).txt")).split(separator: 0x0A, omittingEmptySubsequences: false)
        for line in lines.map({ $0.filter { $0 != 0x1B && $0 != 0x0D } }) {
            let (issues, all) = (looking.read(line.span), reading.read(line.span, LineFeatures(line.span)))
            let text = String(decoding: line, as: UTF8.self)
            #expect("\(issues) \(looking)" == "\(all) \(reading)", "\(text)")
        }
    }

    @Test func `lines of test runners, and what becomes of them with other bytes`() throws {
        var lines: [[UInt8]] = [
            "Test Suite 'All' started", "[ RUN      ] Queue.Pops", "/src/queue_test.cc:12: Failure", "unknown file: Failure",
            "[  FAILED  ] Queue.Pops (0 ms)", "/src/A.swift:7: error: A.b : XCTAssertEqual failed: 1 is not 2",
            "Greeter/Greeter.swift:2: Fatal error: Index out of range", "Assertion failed: 1 == 2", "Precondition failed: no",
            "queue_test: /src/queue.c:12: pop: Assertion `count > 0' failed.", "thread 'tests::pops' (3429) panicked at src/lib.rs:12:9:",
            "---- tests::errs stdout ----", "--- FAIL: TestTable (0.00s)", "    --- FAIL: TestTable/two (0.00s)",
            "FAIL\texample.org/shop\t0.002s",
            "ok  \texample.org/shop\t0.002s", "=== RUN   TestTable", "==== FAILURES ====", "\u{25C7} Test fails() started.", "", " ",
            "[0/1000] Compiling Module0 File0.swift", "ok 0 - the thing does what it should", "a: b",
        ].map { Array($0.utf8) }
        for name in Self.consoles {
            lines += try readFile(TestPaths.fixture("testruns/\(name).txt")).split(separator: 0x0A).map {
                $0.filter { $0 != 0x1B && $0 != 0x0D }
            }
        }
        #expect(lines.count > 100)
        var random = SplitMix64(seed: 41)
        var quiet = 0
        for line in lines {
            for round in 0..<20 {
                var changed = line
                if round > 0, !changed.isEmpty {
                    changed[Int(random.next() % UInt64(changed.count))] = Self.signs[Int(random.next() % UInt64(Self.signs.count))]
                    if round > 10 { changed.removeFirst(Int(random.next() % UInt64(min(changed.count, 9)))) }
                }
                if LineFeatures(changed.span).isIrrelevant(changed.span) { quiet += 1 }
                let text = String(decoding: changed, as: UTF8.self)
                #expect(outcome(changed, looks: true) == outcome(changed, looks: false), "\(text)")
            }
        }
        #expect(quiet > 100)
    }

    @Test(arguments: [
        ("no: colon", false), ("error: 1", true), ("failed: 1", true), ("1234567r:", true), ("12345678r:", true), ("1234567r :", false),
        ("\u{1}\u{1}r\u{1}:", false), ("", false),
    ])
    func `a colon after the last letter of a word is found wherever it is`(_ text: String, _ isFound: Bool) {
        #expect(LineFeatures(Array(text.utf8).span).hasColonAfterWords == isFound)
    }

    @Test(arguments: [("12345678\u{1B}", true), ("\r", true), ("\u{1A}\u{1C}\u{0C}\u{0E}", false), ("", false)])
    func `control bytes are found wherever they are`(_ text: String, _ isFound: Bool) {
        #expect(LineFeatures(Array(text.utf8).span).hasControls == isFound)
    }
}
