import BinaryPrimitives
import CrashLogModel
import CrashReports
import Reporting
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import TestReports

/// Output of `go test` and pytest about `Fixtures/testruns/shop`; the lines are those of its
/// sources, by their texts.
struct ScriptRunnerTests {
    private func shop<Result>(_ body: (Scene) throws -> Result) throws -> Result {
        var files: [String: String] = [:]
        for path in ["queue/queue.go", "queue/queue_test.go", "tests/test_queue.py", "tests/test_deep.py"] {
            files[path] = String(decoding: try readFile(TestPaths.fixture("testruns/shop/" + path)), as: UTF8.self)
        }
        // Another file of the name in another package.
        files["util/queue_test.go"] = "package util\n"
        return try Scene.with(files, body)
    }

    /// The line with a text that no other line of the file has.
    private func location(_ path: String, _ text: String) throws -> Failure.Location {
        let source = String(decoding: try readFile(TestPaths.fixture("testruns/shop/" + path)), as: UTF8.self)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count { $0.contains(text) } == 1)
        return Failure.Location(path: path, line: try #require(lines.firstIndex { $0.contains(text) }) + 1)
    }

    private func failures(_ output: String, _ scene: Scene) throws -> [String: [Failure]] {
        var collector = scene.collector()
        collector.add(text: String(decoding: try readFile(TestPaths.fixture("testruns/" + output)), as: UTF8.self))
        let failures = collector.finish()
        #expect(failures.allSatisfy { $0.rule == "test-failure" && $0.count == 1 && $0.tests.count == 1 })
        return Dictionary(grouping: failures) { $0.tests.first ?? "" }
    }

    /// Maps the folder in which the output was recorded to the scene's.
    private func recorded(_ scene: Scene) -> FailureCollector {
        FailureCollector(
            repository: scene.paths(map: PathMap([.init(old: "/src/shop", new: scene.root)])), ownCode: OwnCodeRule(),
            excerpts: SourceExcerpts(root: nil))
    }

    /// A whole output: its reports, in which nothing is looked up, and the lines beside them.
    /// - Returns: how many reports.
    private func feed(_ bytes: [UInt8], to collector: inout FailureCollector) -> Int {
        var reports = 0
        var stream = LogStream()
        func add(_ piece: LogStream.Piece, _ text: Span<UInt8>) {
            for report in piece.reports {
                reports += 1
                var symbolicated = SymbolicatedReport(report: report)
                func outcomes(_ trace: ThreadTrace) -> [FrameOutcome] {
                    trace.frames.map { _ in FrameOutcome(.unresolved("not looked up")) }
                }
                symbolicated.threads = report.threads.map(outcomes)
                symbolicated.additionalBacktraces = report.additionalBacktraces.map(outcomes)
                collector.add(symbolicated)
            }
            var rest = text
            if piece.reports.isEmpty { while let line = rest.readLine() { collector.add(line: line) } }
        }
        stream.feed(bytes.span, emit: add)
        stream.finish(emit: add)
        return reports
    }

    // MARK: Go

    @Test(arguments: ["go-test.txt", "go-test-v.txt"]) func goTest(output: String) throws {
        try shop { scene in
            let byTest = try failures(output, scene)
            #expect(Set(byTest.keys) == ["TestFails", "TestTable/two_words"])
            let fails = try #require(byTest["TestFails"]?.first)
            #expect(fails.location == (try location("queue/queue_test.go", "t.Fatal(\"two lines")))
            #expect(fails.message == "queue_test.go:14: Pop() = 1, want 2\nqueue_test.go:16: two lines:\n::error::second")
            #expect(fails.locationRemark?.hasPrefix("The test’s log has 2 lines") == true)
            let part = try #require(byTest["TestTable/two_words"]?.first)
            // `check` is a helper: the line is its caller's.
            #expect(part.location == (try location("queue/queue_test.go", "check(t, name)\n".replacing("\n", with: ""))))
            #expect(part.message == "bad name: \"two words\"" && part.locationRemark == nil)
        }
    }

    /// The panic of `go test` is a report of its own; its test has said nothing else.
    @Test func goTestThatPanics() throws {
        try shop { scene in
            var collector = scene.collector()
            collector.add(text: "--- FAIL: TestCrashes (0.00s)\n")
            collector.add(
                Scene.report([[Scene.Call(name: "queue.Pop", file: scene.root + "/queue/queue.go", line: 4)]], format: "go-panic"))
            collector.add(text: "FAIL\texample.org/shop/queue\t0.008s\nFAIL\n")
            #expect(collector.finish().map(\.location) == [Failure.Location(path: "queue/queue.go", line: 4)])
            var silent = scene.collector()
            silent.add(text: "--- FAIL: TestSilent (0.00s)\nFAIL\nFAIL\texample.org/shop/queue\t0.002s\n")
            #expect(silent.finish().map(\.missingLocationReason) == ["The test runner printed no line."])
        }
    }

    /// Without the package's line nothing says which of two files of the name it is.
    @Test func goTestThatIsCutOff() throws {
        try shop { scene in
            var collector = scene.collector()
            collector.add(text: "--- FAIL: TestFails (0.00s)\n    queue_test.go:14: Pop() = 1, want 2\n")
            let failure = try #require(collector.finish().first)
            #expect(failure.location == nil && failure.missingLocationReason?.contains("2 files") == true, "\(failure)")
        }
    }

    // MARK: Python

    @Test(arguments: ["pytest-long.txt", "pytest-short.txt"]) func pytest(output: String) throws {
        try shop { scene in
            let byTest = try failures(output, scene)
            let queue = "tests/test_queue.py"
            let expected: [(test: String, location: Failure.Location, first: String)] = [
                ("test_fails", try location(queue, "assert pop([1, 2]) == 2"), "AssertionError: the first ::error::x"),
                ("test_raises", try location(queue, "return values[0]"), "IndexError: list index out of range"),
                ("TestQueue.test_counts[2]", try location(queue, "assert n == 1"), "assert 2 == 1"),
                ("TestQueue.test_long", try location(queue, "assert [1, 2, 3]"), "assert [1, 2, 3] == [1, 2, 4]"),
                ("test_error", try location(queue, "raise RuntimeError(\"no server\")"), "RuntimeError: no server"),
                ("test_prints", try location("tests/test_deep.py", "raise ValueError("), "ValueError: one"),
                ("test_chain", try location("tests/test_deep.py", "raise RuntimeError(\"wrapped\")"), "RuntimeError: wrapped"),
                ("test_no_message", try location("tests/test_deep.py", "pytest.fail("), "Failed: said so"),
                // Raised in the standard library.
                ("test_in_a_library", try location("tests/test_deep.py", "json.loads(\"{\")"), "json.decoder.JSONDecodeError: Expecting"),
            ]
            #expect(Set(byTest.keys) == Set(expected.map(\.test)))
            for (test, location, first) in expected {
                let failure = try #require(byTest[test]?.first)
                #expect(failure.location == location, "\(test)")
                #expect(failure.message.hasPrefix(first), "\(test): \(failure.message)")
                #expect((failure.locationRemark != nil) == (test == "test_in_a_library"), "\(test)")
            }
            #expect(byTest["test_in_a_library"]?.first?.locationRemark?.contains("/usr/lib/python3.11/json/decoder.py:353") == true)
            #expect(byTest["test_prints"]?.first?.message == "ValueError: one\n\nthree")
            #expect(
                byTest["test_fails"]?.first?.message == "AssertionError: the first ::error::x\nassert 1 == 2\n +  where 1 = pop([1, 2])")
        }
    }

    /// A line for each: no names of tests, but those of errors in fixtures, which have no line.
    @Test func pytestInLines() throws {
        try shop { scene in
            var collector = recorded(scene)
            collector.add(text: String(decoding: try readFile(TestPaths.fixture("testruns/pytest-line.txt")), as: UTF8.self))
            let failures = collector.finish()
            #expect(failures.count == 9)
            let error = try #require(failures.first { $0.tests == ["test_error"] })
            #expect(error.location == nil && error.message == "RuntimeError: no server")
            #expect(
                failures.first { $0.message.hasPrefix("IndexError") }?.location == (try location("tests/test_queue.py", "return values[0]"))
            )
        }
    }

    /// Only the summary: what failed, and not where.
    @Test func pytestsSummary() throws {
        try shop { scene in
            let byTest = try failures("pytest-no.txt", scene)
            #expect(byTest.count == 9)
            let failure = try #require(byTest["tests/test_queue.py::TestQueue::test_counts[2]"]?.first)
            #expect(failure.message == "assert 2 == 1" && failure.location == nil && failure.missingLocationReason != nil)
        }
    }

    /// In Python's own style each block is a traceback, and so a report; here it is taken out, as
    /// the reader of logs does.
    @Test func pytestsTracebacks() throws {
        try shop { scene in
            var collector = recorded(scene)
            let bytes = try readFile(TestPaths.fixture("testruns/pytest-native.txt"))
            let reports = feed(bytes, to: &collector)
            #expect(reports == 9)
            let failures = collector.finish()
            // The summary would report them a second time.
            #expect(failures.allSatisfy { $0.kind == .exception }, "\(failures.map(\.title))")
            #expect(failures.contains { $0.location?.path == "tests/test_queue.py" && $0.location?.line == 5 })
        }
    }

    // MARK: Rust

    /// Tests that fail without a panic; those that panic are reported by the panic, once.
    @Test(arguments: ["cargo-test.txt", "cargo-test-stacks.txt"]) func cargoTest(output: String) throws {
        try Scene.with(["src/lib.rs": String(decoding: try readFile(TestPaths.fixture("testruns/shop/src/lib.rs")), as: UTF8.self)]) {
            scene in
            let bytes = try readFile(TestPaths.fixture("testruns/" + output))
            var collector = scene.collector()
            let reports = feed(bytes, to: &collector)
            #expect(reports == (output == "cargo-test.txt" ? 0 : 2))
            let byTest = Dictionary(grouping: collector.finish()) { $0.tests.first ?? "" }
            #expect(Set(byTest.keys) == ["tests::fails", "tests::crashes", "tests::errs", "tests::must_panic"])
            #expect(byTest.values.allSatisfy { $0.count == 1 })
            let panic = try #require(byTest["tests::crashes"]?.first)
            #expect(panic.rule == "panic/rust")
            let (pop, mustPanic) = (try location("src/lib.rs", "pub fn pop"), try location("src/lib.rs", "fn must_panic"))
            #expect(panic.location?.line == pop.line)
            let error = try #require(byTest["tests::errs"]?.first)
            #expect(error.rule == "test-failure" && error.message == "Error: \"odd\"" && error.location == nil)
            let silent = try #require(byTest["tests::must_panic"]?.first)
            #expect(silent.message == "test did not panic as expected")
            #expect(silent.location?.line == mustPanic.line)
        }
    }

    // MARK: Neither

    /// A program's own output that looks like it.
    @Test func otherOutput() throws {
        try Scene.with(["a.go": "", "b.py": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                text: """
                    --- a/a.go
                    +++ b/a.go
                        a.go:3: unused
                    === RUN
                    FAIL
                    ok  \texample.org/x\t0.1s
                    === FAILURES
                    ___ x ___
                    E   b.py:1: in x
                    b.py:1: AssertionError
                    FAILED tests/b.py::x - no
                    ========== 1 passed ==========
                    _______

                    """)
            #expect(collector.finish().isEmpty)
        }
    }

    @Test(arguments: Hostile.texts) func hostileNames(text: String) throws {
        try Scene.with(["tests/a.py": "x\n", "queue/a_test.go": "y\n"]) { scene in
            var collector = scene.collector()
            let line = text.replacing("\n", with: " ").replacing("\r", with: " ")
            collector.add(
                text: """
                    =========== FAILURES ===========
                    _____ \(line) _____
                    E   \(line)
                    tests/a.py:1: \(line)
                    ======= short test summary info =======
                    FAILED \(line) - \(line)
                    ===== 1 failed =====
                    === RUN   \(line)
                        a_test.go:1: \(line)
                    --- FAIL: \(line) (0.00s)
                    FAIL\texample.org/queue\t0.1s

                    """)
            let failures = collector.finish()
            let commands = GitHubAnnotations().render(failures)
            #expect(commands.count { $0 == 0x0A } == failures.count)
            #expect(!commands.contains(0x1B))
        }
    }
}
