import BinaryPrimitives
import CrashLogModel
import TestSupport
import Testing

@testable import TestReports

/// The files that a run leaves, against their schemas and against hostile logs.
struct OutputTests {
    /// A crash, a hang without a place, a failed expectation, with a text in every place where a
    /// log's text can be.
    private func failures(_ hostile: String, _ scene: Scene) -> [Failure] {
        var collector = scene.collector()
        collector.log = hostile
        let calls = [
            Scene.Call(name: hostile, image: "/usr/lib/\(hostile)"),
            Scene.Call(name: hostile + "(int)", file: scene.root + "/Sources/ä b.c", line: 2, column: 7),
            Scene.Call(name: "other", file: "/elsewhere/\(hostile).c", line: 4),
            Scene.Call(name: "main", file: scene.root + "/Sources/ä b.c", line: 3),
        ]
        collector.add(Scene.report([calls]) { $0.cause?.message = hostile }, during: hostile)
        collector.add(Scene.report([[Scene.Call(name: hostile, image: Scene.libc)]]) { $0.cause?.type = "Terminated" }, during: "A.b")
        collector.add(text: "◇ Test t() started.\n✘ Test t() recorded an issue at c.swift:1:1: \(hostile)\n")
        return collector.finish()
    }

    private func scene<Result>(_ body: (Scene) throws -> Result) throws -> Result {
        try Scene.with(["Sources/ä b.c": "// ü ]]> <b> `x`\n\t/* ü */ f();\n```\n", "Tests/c.swift": "#expect(x)\n"], body)
    }

    // MARK: SARIF

    @Test(.enabled(if: TestPaths.schema("sarif-2.1.0.json") != nil && Python.interpreter(with: "jsonschema") != nil, "schemas, jsonschema"))
    func sarifIsValid() throws {
        let python = try #require(Python.interpreter(with: "jsonschema"))
        let schema = try #require(TestPaths.schema("sarif-2.1.0.json"))
        try scene { scene in
            // A document a line.
            let documents = Hostile.texts.flatMap { SARIFReport(version: "1.2.3").render(failures($0, scene)) }
            let check = """
                import json, sys, jsonschema
                schema = json.load(open(sys.argv[1]))
                validator = jsonschema.validators.validator_for(schema)(schema)
                for line in sys.stdin:
                    document = json.loads(line)
                    for error in validator.iter_errors(document): print(error.json_path, error.message[:200])
                    run = document["runs"][0]
                    crash = run["results"][0]
                    location = crash["locations"][0]["physicalLocation"]
                    print(len(run["results"]), len(run["invocations"][0]["toolExecutionNotifications"]), crash["ruleId"], location["artifactLocation"]["uri"],
                          location["region"]["startLine"], location["region"]["startColumn"], len(crash["stacks"][0]["frames"]),
                          [step["location"]["physicalLocation"]["region"]["startLine"] for step in crash["codeFlows"][0]["threadFlows"][0]["locations"]])
                """
            let result = try run(python, ["-c", check, schema], input: documents)
            #expect(ShownText(documents).commands == [] && ShownText(documents).serviceCommands == [])
            // Byte 7 of `\t/* ü */ f();` is after `ü`, which has two bytes: the sixth character.
            // The flow leads from the outermost call to the place.
            #expect(result.errors == "")
            #expect(result.lines == Hostile.texts.map { _ in "2 1 crash/SIGSEGV Sources/%C3%A4%20b.c 2 6 4 [3, 4, 2]" })
        }
    }

    // MARK: JUnit

    @Test(.enabled(if: TestPaths.schema("junit.xsd") != nil, "schemas"), arguments: Hostile.texts)
    func junitIsValid(hostile: String) throws {
        let schema = try #require(TestPaths.schema("junit.xsd"))
        try scene { scene in
            // 2026-11-22T09:10:14Z is 1795338614 s since 1970, as the recorded stream of events has
            // it.
            let suite = JUnitReport.Suite(name: hostile, startedAt: 1_795_338_614, seconds: 1.25, failures: failures(hostile, scene))
            let document = JUnitReport(host: hostile).render([suite])
            #expect(ShownText(document).commands == [] && ShownText(document).serviceCommands == [])
            try run("xmllint", ["--noout", "--schema", schema, "-"], input: document).requireSuccess()
            let names = try run(
                "xmllint",
                [
                    "--xpath",
                    "concat(count(//testcase),' ',count(//error),' ',count(//failure),' ',//testsuite/@timestamp,' ',//testsuite/@time)",
                    "-",
                ], input: document)
            #expect(names.lines.first == "3 2 1 2026-11-22T09:10:14 1.250")
        }
    }

    /// Two crashes in one function, on two lines: GitLab would hide the second.
    @Test func namesOfTestCasesAreDistinct() throws {
        let first = Failure(kind: .crash, rule: "crash/SIGSEGV", title: "SIGSEGV in f", message: "one")
        let suites = [[first, first], [first]].map { JUnitReport.Suite(name: "a.log", startedAt: 0, failures: $0) }
        let text = String(decoding: JUnitReport().render(suites), as: UTF8.self)
        let names = text.split(separator: "<testcase name=\"").dropFirst().map { $0.prefix { $0 != "\"" } }
        #expect(names == ["SIGSEGV in f", "SIGSEGV in f (2)", "SIGSEGV in f (3)"])
    }

    @Test func timesAreThoseOfTheCalendar() throws {
        for seconds: Int64 in [0, 951_782_399, 951_782_400, 1_709_164_800, 4_107_542_399, 253_402_300_799] {
            let expected = try run("date", ["-u", "-d", "@\(seconds)", "+%Y-%m-%dT%H:%M:%S"]).lines.first
            #expect(JUnitReport.time(seconds) == expected)
        }
    }

    // MARK: GitLab

    @Test func gitLabsReport() throws {
        let python = try #require(Python.interpreter(with: "json"))
        try scene { scene in
            #expect(GitLabCodeQuality.leftOut(failures("x", scene)) == 1)
            let documents = Hostile.texts.flatMap { GitLabCodeQuality().render(failures($0, scene)) }
            let check = """
                import json, sys
                for line in sys.stdin:
                    entries = json.loads(line)
                    for entry in entries:
                        assert sorted(entry) == ["check_name", "description", "fingerprint", "location", "severity"], entry
                        assert entry["severity"] in ["info", "minor", "major", "critical", "blocker"]
                        assert not any(ord(c) < 32 for c in entry["description"])
                        print(entry["check_name"], entry["severity"], entry["location"]["path"], entry["location"]["lines"]["begin"])
                    assert len(set(entry["fingerprint"] for entry in entries)) == len(entries)
                """
            #expect(ShownText(documents).commands == [] && ShownText(documents).serviceCommands == [])
            let result = try run(python, ["-c", check], input: documents)
            #expect(result.errors == "")
            #expect(
                result.lines
                    == Hostile.texts.flatMap { _ in ["crash/SIGSEGV critical Sources/ä b.c 2", "test-failure major Tests/c.swift 1"] })
        }
    }

    @Test func fingerprintsSurviveLinesAboveThem() throws {
        func fingerprint(_ source: String, line: Int) throws -> String {
            try Scene.with(["a.c": source]) { scene in
                var collector = scene.collector()
                collector.add(Scene.report([[Scene.Call(name: "f", file: scene.root + "/a.c", line: line)]]))
                return Fingerprint.text(of: try #require(collector.finish().first))
            }
        }
        let first = try fingerprint("int f() {\n  return *p;\n}\n", line: 2)
        #expect(try fingerprint("// new\n\nint f() {\n    return *p;\n}\n", line: 4) == first)
        #expect(try fingerprint("int f() {\n  return *q;\n}\n", line: 2) != first)
        #expect(first.utf8.count == 32)
    }

    // MARK: Summary

    /// Outside of code spans, fenced blocks and our own tags, a summary holds no text of a log: the
    /// rest of it is always the same.
    @Test(arguments: Hostile.texts)
    func theSummaryHasNoMarkupOfALog(hostile: String) throws {
        try scene { scene in
            let summary = GitHubSummary().render(failures(hostile, scene))
            #expect(ShownText(summary).commands == [] && ShownText(summary).serviceCommands == [])
            func skeleton(_ text: String) -> String {
                Markdown.withoutCode(String(decoding: GitHubSummary().render(failures(text, scene)), as: UTF8.self))
            }
            #expect(skeleton(hostile) == skeleton("harmless"))
        }
    }

    @Test func theSummaryKeepsItsSize() throws {
        var failure = Failure(kind: .crash, rule: "crash/SIGSEGV", title: "t", message: String(repeating: "m", count: 8000))
        failure.missingLocationReason = "x"
        let bytes = GitHubSummary().render(Array(repeating: failure, count: 500))
        #expect(bytes.count <= 1 << 20)
        #expect(String(decoding: bytes.suffix(120), as: UTF8.self).contains("more failures are left out: a summary holds 1048576 bytes."))
        #expect(GitHubSummary(limit: 50).render([failure]).isEmpty)
        #expect(GitHubSummary().render([]).isEmpty)
    }

    /// ctest 3.25's lines of a test that ends with status 1 and prints nothing.
    @Test func `the summary counts the tests that failed without a report`() throws {
        try scene { scene in
            var collector = scene.collector()
            collector.add(
                text: "    Start 1: exits\n1/1 Test #1: exits ....***Failed  0.00 sec\n0% tests passed, 1 tests failed out of 1\n")
            let failures = collector.finish()
            let summary = String(decoding: GitHubSummary().render(failures, tally: collector.tally), as: UTF8.self)
            #expect(
                summary == """
                    ## cairn: 1 failed test

                    `1 test failed: 0 with a line, 1 without, because the test runner printed no line (exits)`

                    """)
        }
    }

    @Test func aSummaryAsItIsRead() throws {
        try scene { scene in
            var collector = scene.collector()
            collector.add(
                Scene.report([
                    [
                        Scene.Call(name: "raise", image: Scene.libc),
                        Scene.Call(name: "f(`x`)", file: scene.root + "/Sources/ä b.c", line: 2, column: 11),
                    ]
                ]), during: "Queue.Pops")
            #expect(
                String(decoding: GitHubSummary().render(collector.finish()), as: UTF8.self) == """
                    ## cairn: 1 failure

                    ### ``SIGSEGV in f(`x`)``

                    `crash/SIGSEGV`, at `Sources/ä b.c:2:11`, in `Queue.Pops`

                    ```text
                    Bad pointer dereference at 0x0
                    ```

                    ````text
                      1 | // ü ]]> <b> `x`
                    > 2 |     /* ü */ f();
                        |             ^
                      3 | ```
                    ````

                    <details><summary>Stack: Thread 0 crashed</summary>

                    ```text
                      0 raise in libc.so.6
                    * 1 f(`x`) in app at Sources/ä b.c:2
                    ```

                    </details>

                    """)
        }
    }
}

/// As much of CommonMark as separates code from the rest: fenced blocks and code spans.
private enum Markdown {
    static func withoutCode(_ text: String) -> String {
        var result = ""
        var fence: Substring?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let run = line.prefix { $0 == "`" }
            if let open = fence {
                if run.count >= open.count, run.count == line.count { fence = nil }
                continue
            }
            if run.count >= 3, !line.dropFirst(run.count).contains("`") {
                fence = run
                continue
            }
            result += withoutSpans(line) + "\n"
        }
        return result
    }

    private static func withoutSpans(_ line: Substring) -> String {
        var result = ""
        var rest = line
        while let character = rest.first {
            guard character == "`" else {
                result.append(character)
                rest.removeFirst()
                continue
            }
            let open = rest.prefix { $0 == "`" }
            var search = rest.dropFirst(open.count)
            var end: Substring.Index?
            while let tick = search.firstIndex(of: "`") {
                let run = search[tick...].prefix { $0 == "`" }
                search = search[tick...].dropFirst(run.count)
                if run.count == open.count {
                    end = search.startIndex
                    break
                }
            }
            guard let end else {
                result += open
                rest = rest.dropFirst(open.count)
                continue
            }
            result += "¤"
            rest = rest[end...]
        }
        return result
    }
}
