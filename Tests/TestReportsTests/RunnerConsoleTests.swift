import BinaryPrimitives
import Reporting
import SymbolFiles
import Symbolication
import TestSupport
import Testing

@testable import TestReports

/// Output of test runners about the projects in `Tests/Runners`: the lines are those whose comments say `fails: TEST`.
///
/// Processes that crashed have no stack here; their tests have the line that the runner names, or none.
struct RunnerConsoleTests {
    struct Run: Sendable, CustomTestStringConvertible {
        var output: String
        var project: String
        /// Tests whose processes crashed, with a text of the line that the runner names instead; `nil` where it names none.
        var crashed: [String: String?] = [:]
        /// Seven tests fail in each project; those whose runner prints no line are counted.
        var tally = "7 tests failed: 7 with a line"
        var testDescription: String { output }
    }

    private static let noLine = "because the test runner printed no line"
    private static let noStack = "because the test runner reports a crash, and no stack of it was seen"

    static let runs = [
        Run(output: "catch2", project: "catch2", crashed: ["a pointer is null": "TEST_CASE(\"a pointer is null\")"]),
        Run(output: "doctest", project: "doctest", crashed: ["z a pointer is null": "TEST_CASE(\"z a pointer is null\")"]),
        Run(output: "boost", project: "boost"),
        // The process ended before GoogleTest could count.
        Run(
            output: "gtest", project: "gtest", crashed: ["Some/Pointers.Crash/0": nil],
            tally: "6 tests failed: 5 with a line, 1 without, \(noLine) (Cart.Throws)"),
        Run(output: "bats-tap", project: "bats"), Run(output: "bats-pretty", project: "bats"),
        Run(output: "bats-terminal", project: "bats"),
        Run(output: "prove", project: "prove"), Run(output: "prove-v", project: "prove"),
        Run(output: "node-tap", project: "node"), Run(output: "node-spec", project: "node"),
        Run(output: "jest", project: "jest"),
        Run(
            output: "pytest-xdist", project: "xdist", crashed: ["test_z_crashes": nil],
            tally: "7 tests failed: 6 with a line, 1 without, \(noStack) (test_cart.py::test_z_crashes)"),
    ]

    private static func folder(_ project: String) -> String { TestPaths.root + "/Tests/Runners/" + project }

    /// The project's files, and the lines that fail by their tests.
    private func project(_ name: String) throws -> (files: [String: String], lines: [String: Failure.Location]) {
        let folder = Self.folder(name)
        var (files, lines): ([String: String], [String: Failure.Location]) = ([:], [:])
        for path in try run("find", [folder, "-type", "f"]).lines {
            let relative = String(path.dropFirst(folder.utf8.count + 1))
            let text = String(decoding: try readFile(path), as: UTF8.self)
            files[relative] = text
            for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                guard let mark = line.range(ofText: " fails: ") else { continue }
                lines[String(line[mark.upperBound...])] = Failure.Location(path: relative, line: index + 1)
            }
        }
        return (files, lines)
    }

    private func failures(
        _ output: String, _ scene: Scene, _ collector: FailureCollector? = nil
    ) throws -> (failures: [Failure], tally: String?) {
        var collector = collector ?? scene.collector()
        // The runs had their projects in `/src/shop`.
        let printed = String(decoding: try readFile(TestPaths.fixture("testruns/runners/\(output).txt")), as: UTF8.self)
        let bytes = Array(printed.replacing("/src/shop", with: scene.root).utf8)
        var rest = bytes.span
        while let line = rest.readLine() { collector.add(line: line) }
        let failures = collector.finish()
        return (failures, collector.tally?.line)
    }

    @Test(arguments: runs) func `each failure is on the line that the source marks`(run: Run) throws {
        let (files, lines) = try project(run.project)
        #expect(lines.count >= 6)
        try Scene.with(files) { scene in
            let (failures, tally) = try failures(run.output, scene)
            var expected = lines
            for (test, text) in run.crashed {
                let location = try #require(lines[test])
                let source = try #require(files[location.path]).split(separator: "\n", omittingEmptySubsequences: false)
                expected[test] = text.flatMap { text in
                    source.firstIndex { $0.contains(text) }.map { Failure.Location(path: location.path, line: $0 + 1) }
                }
            }
            let found = failures.compactMap(\.location).map { Failure.Location(path: $0.path, line: $0.line) }
            func order(_ first: Failure.Location, _ second: Failure.Location) -> Bool {
                (first.path, first.line) < (second.path, second.line)
            }
            #expect(found.sorted(by: order) == expected.values.sorted(by: order))
            #expect(failures.allSatisfy { $0.count == 1 }, "\(failures.map { ($0.title, $0.count) })")
            #expect(tally == run.tally)
        }
    }

    /// The tests are named as the runners name them; Perl's are also parts, and a file that ends early is its own.
    @Test(arguments: ["catch2", "doctest", "boost", "bats-tap", "bats-pretty", "bats-terminal", "node-tap", "node-spec", "jest", "prove"])
    func `a failure has the name of its test`(output: String) throws {
        let run = try #require(Self.runs.first { $0.output == output })
        let (files, lines) = try project(run.project)
        try Scene.with(files) { scene in
            let tests = Set(try failures(output, scene).failures.flatMap(\.tests))
            #expect(tests == Set(lines.keys))
        }
    }

    /// The process of each test is ended by a signal; of one the message has the line.
    @Test(arguments: ["ctest", "ctest-j"]) func `ctest's crashed tests are counted, and its assertion has a line`(output: String) throws {
        let (files, lines) = try project("ctest")
        try Scene.with(files) { scene in
            let (failures, tally) = try failures(output, scene)
            let assertion = try #require(failures.first { $0.tests == ["shop.asserts"] })
            #expect(assertion.location == lines["shop.asserts"] && assertion.rule == "crash/SIGABRT")
            #expect(assertion.message == "Assertion `count > 0' failed.")
            let rules = Dictionary(grouping: failures.flatMap { failure in failure.tests.map { ($0, failure.rule) } }, by: \.0)
            let expected = [
                "shop.reads_null": "crash/SIGSEGV", "shop.gives_up": "crash/SIGABRT", "shop.asserts": "crash/SIGABRT",
                "shop.throws": "crash/SIGABRT", "shop.frees_twice": "crash/SIGABRT", "shop.divides": "crash/SIGFPE",
            ]
            #expect(rules.mapValues { $0.map(\.1) } == expected.mapValues { [$0] })
            #expect(tally?.hasPrefix("7 tests failed: 1 with a line, 6 without, \(Self.noStack) (shop.") == true, "\(tally ?? "")")
            #expect(tally?.hasSuffix("; the test runner printed no line (shop.exits)") == true)
        }
    }

    /// ctest shows nothing of its tests, or with `-V` their lines mixed; its log has all.
    @Test(arguments: ["ctest-checks", "ctest-checks-V"]) func `ctest's log has the lines that its tests printed`(output: String) throws {
        let (sources, lines) = try project("ctest-checks")
        var files = sources
        let log = String(decoding: try readFile(TestPaths.fixture("testruns/runners/ctest-checks-log.txt")), as: UTF8.self)
        files["build/Testing/Temporary/LastTest.log"] = log
        try Scene.with(files) { scene in
            func run(startedAt: Int64?) throws -> (failures: [Failure], tally: String?) {
                let collector = FailureCollector(
                    repository: scene.paths(map: PathMap([.init(old: "/src/shop", new: scene.root)])), ownCode: OwnCodeRule(),
                    excerpts: SourceExcerpts(root: nil), startedAt: startedAt)
                return try self.failures(output, scene, collector)
            }
            let (failures, tally) = try run(startedAt: 0)
            let found = failures.map { failure in failure.location.map { "\(failure.tests) \($0.path):\($0.line)" } }
            #expect(Set(found) == Set(lines.map { "\([$0.key]) \($0.value.path):\($0.value.line)" }))
            #expect(tally?.hasPrefix("5 tests failed: 2 with a line, 3 without, \(Self.noLine) (shop.") == true, "\(tally ?? "")")
            // A log of an earlier run is not this run's.
            for start in [nil, Int64.max] { #expect(try run(startedAt: start).failures.isEmpty) }
        }
    }

    /// meson and automake show nothing of their tests; in their logs, paths count from the build's folder. No stack of a crash is here.
    @Test(arguments: [
        (
            "meson", "build/meson-logs/testlog.txt", ["Cart.Total", "shop / asserts", "shop / says"],
            "7 tests failed: 3 with a line, 4 without, "
        ),
        ("automake", "build/test-suite.log", ["tests/asserts", "tests/says"], "6 tests failed: 2 with a line, 4 without, "),
    ]) func `logs of meson and automake have the lines of their tests`(output: String, log: String, tests: [String], count: String) throws {
        let (sources, lines) = try project(output)
        var files = sources
        files[log] = String(decoding: try readFile(TestPaths.fixture("testruns/runners/\(output)-log.txt")), as: UTF8.self)
        try Scene.with(files) { scene in
            let collector = FailureCollector(
                repository: scene.paths(), ownCode: OwnCodeRule(), excerpts: SourceExcerpts(root: nil), startedAt: 0)
            let (failures, tally) = try failures(output, scene, collector)
            let found = failures.compactMap { failure in failure.location.map { "\($0.path):\($0.line)" } }
            #expect(Set(found) == Set(tests.compactMap { lines[$0] }.map { "\($0.path):\($0.line)" }))
            #expect(tally?.hasPrefix(count) == true, "\(tally ?? "")")
        }
    }

    /// The test that panics has a report, which is not read here.
    @Test func `go's events have the lines of its output`() throws {
        let (files, lines) = try project("go")
        try Scene.with(files) { scene in
            let (failures, tally) = try failures("go-json", scene)
            let found = Dictionary(failures.filter { $0.location != nil }.map { ($0.tests, $0.location?.line) }) { first, _ in first }
            let expected = lines.filter { $0.key != "TestZPanics" }.map { ([$0.key], Optional($0.value.line)) }
            #expect(found == Dictionary(uniqueKeysWithValues: expected))
            #expect(tally?.hasPrefix("7 tests failed: 5 with a line, 2 without, ") == true, "\(tally ?? "")")
        }
    }

    /// Panics have reports, which are not read here.
    @Test func `nextest's failed tests are counted, and the signal names the test`() throws {
        let (files, lines) = try project("cargo")
        try Scene.with(files) { scene in
            let (failures, tally) = try failures("nextest", scene)
            #expect(failures.first { $0.tests == ["crashes"] }?.rule == "crash/SIGSEGV")
            #expect(failures.first { $0.tests == ["tests::must_panic"] }?.location?.line == lines["tests::must_panic"]?.line)
            #expect(tally?.hasPrefix("8 tests failed: ") == true, "\(tally ?? "")")
        }
    }

    /// With `-v` pytest names the tests; without it their letters are counted.
    @Test(arguments: [
        ("pytest-dies", "because pytest died before it printed the reports"),
        ("pytest-dies-v", "\(noStack) (test_reads); pytest died before it printed the reports (test_name, test_count)"),
    ]) func `tests that failed before pytest died are counted`(output: String, reason: String) throws {
        try Scene.with(project("pytest-dies").files) { scene in
            let (failures, tally) = try failures(output, scene)
            #expect(tally == "3 tests failed: 0 with a line, 3 without, \(reason)")
            #expect(failures.flatMap(\.tests) == (output == "pytest-dies-v" ? ["test_reads"] : []))
        }
    }

    @Test func `an error that ends a script of node is on its line`() throws {
        let (files, lines) = try project("node-script")
        try Scene.with(files) { scene in
            let (failures, tally) = try failures("node-script", scene)
            #expect(
                failures.map { $0.location.map { "\($0.path):\($0.line)" } } == ["script.mjs:\(try #require(lines["script.mjs"]).line)"])
            #expect(failures.first?.message == "AssertionError [ERR_ASSERTION]: one is left")
            #expect(tally == nil)
        }
    }

    /// glibc's `assert.c`, musl's `assert.c`.
    @Test(arguments: [
        "pop: /src/queue.c:2: pop: Assertion `count > 0' failed.", "Assertion failed: count > 0 (queue.c: pop: 2)",
    ])
    func `C's assertion without a stack is on its line`(line: String) throws {
        try Scene.with(["queue.c": "int pop(int count) {\n    assert(count > 0);\n}\n"]) { scene in
            var collector = FailureCollector(
                repository: scene.paths(map: PathMap([.init(old: "/src", new: scene.root)])), ownCode: OwnCodeRule(),
                excerpts: SourceExcerpts(root: nil))
            collector.add(text: line + "\n")
            var passing = collector
            let failure = try #require(collector.finish().first)
            #expect(failure.location == Failure.Location(path: "queue.c", line: 2) && failure.rule == "crash/SIGABRT")
            #expect(passing.finish(commandSucceeded: true).isEmpty)
        }
    }
}

extension Substring {
    fileprivate func range(ofText text: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
