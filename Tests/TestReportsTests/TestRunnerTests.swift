import BinaryPrimitives
import CrashLogModel
import CrashReports
import Symbolication
import TestSupport
import Testing

@testable import TestReports

/// Output of test runners about the package in `Fixtures/testruns/greeter`: the lines and columns
/// are those of its sources.
struct TestRunnerTests {
    private func greeter<Result>(_ body: (Scene) throws -> Result) throws -> Result {
        var files: [String: String] = [:]
        for path in ["Tests/GreeterTests/NewTests.swift", "Tests/GreeterTests/OldTests.swift", "Sources/Greeter/Greeter.swift"] {
            files[path] = String(decoding: try readFile(TestPaths.fixture("testruns/greeter/" + path)), as: UTF8.self)
        }
        return try Scene.with(files, body)
    }

    /// Location where `text` begins in a source, counted by hand in bytes from 1.
    private func location(_ file: String, _ text: String, _ line: Int) throws -> Failure.Location {
        let lines = String(decoding: try readFile(TestPaths.fixture("testruns/greeter/Tests/GreeterTests/" + file)), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let source = Array(lines[line - 1].utf8)
        let start = try #require(source.span.firstRange(of: text)?.lowerBound)
        return Failure.Location(path: "Tests/GreeterTests/" + file, line: line, column: start + 1)
    }

    @Test func consoleOfSwiftTest() throws {
        try greeter { scene in
            var collector = scene.collector()
            collector.add(text: String(decoding: try readFile(TestPaths.fixture("testruns/swift-console.txt")), as: UTF8.self))
            let failures = collector.finish()
            let byTest = Dictionary(grouping: failures) { $0.tests.first ?? "" }
            #expect(
                Set(byTest.keys) == [
                    "OldTests.testFails", "OldTests.testThrows", "free()", "\"shown: 100%, <b>\"", "records()", "fails()", "throwsError()",
                ])
            #expect(failures.allSatisfy { $0.rule == "test-failure" && $0.count == 1 })
            #expect(byTest["OldTests.testFails"]?.first?.location == Failure.Location(path: "Tests/GreeterTests/OldTests.swift", line: 7))
            #expect(byTest["OldTests.testThrows"]?.first?.location == nil)
            #expect(byTest["fails()"]?.first?.location == (try location("NewTests.swift", "#expect(greet(\"a\") == \"Bye", 7)))
            #expect(byTest["fails()"]?.first?.message == "Expectation failed: (greet(\"a\") → \"Hello, a\") == \"Bye, a\"\nwords\nof ours")
            #expect(byTest["\"shown: 100%, <b>\""]?.first?.location == (try location("NewTests.swift", "#expect(n == 1)", 9)))
            #expect(byTest["records()"]?.first?.message == "Issue recorded\nrecorded ::error::x")
            #expect(collector.runningTests.isEmpty)
        }
    }

    @Test(arguments: ["0", "6.3"])
    func eventStream(version: String) throws {
        try greeter { scene in
            let stream = try readFile(TestPaths.fixture("testruns/swift-events-\(version).jsonl"))
            var collector = scene.collector()
            // In pieces of a prime's size, so that lines are cut anywhere.
            for start in stride(from: 0, to: stream.count, by: 997) {
                let part = Array(stream[start..<min(stream.count, start + 997)])
                collector.add(eventStream: part.span)
            }
            let failures = collector.finish()
            let byTest = Dictionary(grouping: failures) { $0.tests.first ?? "" }
            #expect(Set(byTest.keys) == ["free()", "shown: 100%, <b>", "records()", "fails()", "throwsError()"])
            #expect(byTest["fails()"]?.first?.location == (try location("NewTests.swift", "#expect(greet(\"a\") == \"Bye", 7)))
            #expect(byTest["free()"]?.first?.location == (try location("NewTests.swift", "#require", 15)))
            #expect(byTest["throwsError()"]?.first?.message == "Caught error: Odd()")
            #expect(collector.runningTests.isEmpty)
        }
    }

    /// The console and the stream report the same failures.
    @Test func bothTogetherCountOnce() throws {
        try greeter { scene in
            var collector = scene.collector()
            collector.add(text: String(decoding: try readFile(TestPaths.fixture("testruns/swift-console.txt")), as: UTF8.self))
            let stream = try readFile(TestPaths.fixture("testruns/swift-events-6.3.jsonl"))
            collector.add(eventStream: stream.span)
            let failures = collector.finish()
            #expect(failures.count == 7)
            #expect(failures.allSatisfy { $0.count == 1 })
        }
    }

    /// A real crash in one of two tests that run side by side: the lines before the report, then
    /// the report as it is in the log itself.
    @Test func aCrashOfSwiftTest() throws {
        try greeter { scene in
            let bytes = try readFile(TestPaths.fixture("testruns/swift-crash.txt"))
            let log = CrashLog.parse(bytes.span)
            let report = try #require(log.reports.first)
            var symbolicated = SymbolicatedReport(report: report)
            symbolicated.threads = report.threads.map { $0.frames.map { _ in FrameOutcome(.unresolved("nothing was looked up")) } }
            var collector = scene.collector()
            let text = String(decoding: bytes, as: UTF8.self)
            collector.add(text: String(text.prefix { $0 != "*" }))
            collector.add(symbolicated)
            let failure = try #require(collector.finish().first)
            #expect(failure.title == "Index out of range in head(_:)")
            #expect(failure.tests == ["outOfBounds()"])
            #expect(failure.message.hasPrefix("Fatal error: Index out of range\nIllegal instruction"))
            // `public func head(_ values: [Int]) -> Int { values[0] }`: the bracket of `values[0]`
            // is byte 50 of line 2.
            #expect(failure.location == Failure.Location(path: "Sources/Greeter/Greeter.swift", line: 2, column: 50))
            #expect(
                failure.excerpt?.text.contains(
                    "> 2 | public func head(_ values: [Int]) -> Int { values[0] }\n    | " + String(repeating: " ", count: 49) + "^\n")
                    == true)
            // The test's own macro, and what the compiler made, are nobody's lines.
            let others = failure.stacks.flatMap(\.frames).filter {
                $0.file?.contains("swiftmacro") == true || $0.file?.contains("compiler-generated") == true
            }
            #expect(others.count >= 3)
            #expect(others.allSatisfy { $0.owner == .other && $0.location == nil })
        }
    }

    @Test func darwinsXCTest() throws {
        try Scene.with(["Tests/A/OldTests.swift": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                text: """
                    Test Case '-[A.OldTests testFails]' started.
                    /Users/me/x/Tests/A/OldTests.swift:7: error: -[A.OldTests testFails] : XCTAssertTrue failed
                    /Users/me/x/Sources/B.swift:7: error: cannot find 'x' in scope

                    """)
            #expect(collector.runningTests == ["-[A.OldTests testFails]"])
            let failures = collector.finish()
            #expect(failures.map(\.location) == [Failure.Location(path: "Tests/A/OldTests.swift", line: 7)])
            #expect(failures.first?.message == "XCTAssertTrue failed")
        }
    }

    @Test func googleTest() throws {
        try Scene.with(["test/queue_test.cc": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                text: """
                    [==========] Running 2 tests from 1 test suite.
                    [ RUN      ] Queue.Pops
                    \(scene.root)/test/queue_test.cc:12: Failure
                    Expected equality of these values:
                      pop()
                        Which is: 1
                      2

                    some output
                    [  FAILED  ] Queue.Pops (0 ms)
                    [ RUN      ] Queue.Throws
                    unknown file: Failure
                    C++ exception with description "odd" thrown in the test body.
                    [  FAILED  ] Queue.Throws (1 ms)
                    [  FAILED  ] 2 tests, listed below:
                    [  FAILED  ] Queue.Pops
                    [ RUN      ] Queue.Crashes

                    """)
            #expect(collector.runningTests == ["Queue.Crashes"])
            let failures = collector.finish()
            #expect(failures.map(\.location) == [Failure.Location(path: "test/queue_test.cc", line: 12), nil])
            #expect(failures.first?.message == "Expected equality of these values:\n  pop()\n    Which is: 1\n  2")
            #expect(failures.map(\.tests) == [["Queue.Pops"], ["Queue.Throws"]])
        }
    }

    @Test func rustPanicsWithoutAStack() throws {
        try Scene.with(["src/lib.rs": ""]) { scene in
            var collector = scene.collector()
            collector.add(
                text: """
                    thread 'tests::pops' (3429) panicked at src/lib.rs:12:9:
                    assertion `left == right` failed
                      left: 1
                     right: 2
                    note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

                    """)
            let failure = try #require(collector.finish().first)
            #expect(failure.kind == .panic)
            #expect(failure.location == Failure.Location(path: "src/lib.rs", line: 12, column: 9))
            #expect(failure.tests == ["tests::pops"])
            #expect(failure.message == "assertion `left == right` failed\n  left: 1\n right: 2")
        }
    }

    /// If tests run side by side, the failure belongs to the one whose function is on the stack.
    @Test func theRunningTestIsToldByTheStack() throws {
        try Scene.with(["Tests/a.swift": ""]) { scene in
            var collector = scene.collector()
            collector.add(text: "◇ Test first() started.\n◇ Test second() started.\n")
            collector.add(
                Scene.report([
                    [
                        Scene.Call(name: "head(_:)", file: scene.root + "/Tests/a.swift", line: 2),
                        Scene.Call(name: "closure #1 in NewTests.second()", file: scene.root + "/Tests/a.swift", line: 5),
                    ]
                ]))
            #expect(collector.finish().first?.tests == ["second()"])
        }
    }
}
