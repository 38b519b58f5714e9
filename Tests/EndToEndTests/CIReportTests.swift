import TestSupport
import Testing

/// Reports that `cairn ci` leaves of a run, by its options and by the service that runs it.
struct CIReportTests {
    /// A repository with the source of a program of Rust's that panics, and the log of that: it
    /// names the line itself.
    private struct Repository {
        let folder: String

        /// The variables by which services are known, all unset.
        private static let services: [String: String?] = [
            "GITHUB_ACTIONS": nil as String?, "GITHUB_STEP_SUMMARY": nil as String?, "GITLAB_CI": nil as String?,
            "CI_PROJECT_DIR": nil as String?,
            "BUILDKITE": nil as String?, "JENKINS_URL": nil as String?, "WORKSPACE": nil as String?, "SWIFT_BACKTRACE": nil as String?,
        ]

        func ci(_ options: [String], _ script: String, environment: [String: String?] = [:]) throws -> RunResult {
            try run(
                TestPaths.cairn, ["ci", "--path-map", "/src=code"] + options + ["--", "sh", "-c", script],
                environment: Self.services.merging(environment) { $1 }, directory: folder)
        }

        func text(_ path: String) throws -> String { String(decoding: try readFile(folder + "/" + path), as: UTF8.self) }
        func has(_ path: String) -> Bool { TestPaths.isReadable(folder + "/" + path) }
    }

    private func withRepository(_ body: (Repository) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try run("mkdir", ["-p", folder + "/repo/.git", folder + "/repo/code"]).requireSuccess()
            let repository = Repository(folder: folder + "/repo")
            try writeFile(repository.folder + "/code/main.rs", try readFile(TestPaths.fixture("binaries/RustCrash/main.rs")))
            try writeFile(
                repository.folder + "/panic.txt", try readFile(TestPaths.fixture("logs/rust-panic/RustCrash/short-itself.txt")))
            try body(repository)
        }
    }

    private static let panics = "cat panic.txt; exit 101"
    /// The panic's message names it: `main.rs:15:5`.
    private static let annotation =
        "::error file=code/main.rs,line=15,endLine=15,col=5,title=index out of bounds%3A the len is 3 but the index is 7 in main%3A%3Apour::"

    private func json(_ document: String, _ script: String) throws -> String {
        let result = try run(
            "python3", ["-c", "import json, sys\ndocument = json.load(sys.stdin)\n" + script], input: Array(document.utf8))
        try #require(result.status == 0, "\(result.errors): \(document)")
        return result.output
    }

    private func xpath(_ document: String, _ expression: String) throws -> String {
        if let schema = TestPaths.schema("junit.xsd"), document.contains("cairn.") {
            try run("xmllint", ["--noout", "--schema", schema, "-"], input: Array(document.utf8)).requireSuccess()
        }
        return try run("xmllint", ["--xpath", expression, "-"], input: Array(document.utf8)).lines.joined(separator: "\n")
    }

    private static let counts = "concat(count(//testcase),' ',count(//error),' ',count(//failure),' ',count(//skipped))"

    /// The run's summary, on standard error.
    private static let lastLine =
        "cairn: note: ci: 1 failure: code/main.rs:15: index out of bounds: the len is 3 but the index is 7 in main::pour\n"

    // MARK: By options

    @Test func `a report for each option, each with the line`() throws {
        try withRepository { repository in
            let result = try repository.ci(
                [
                    "--annotations", "github", "--sarif", "r.sarif", "--junit", "r.xml", "--code-quality", "q.json", "--summary", "s.md",
                ], Self.panics)
            #expect(result.status == 101 && result.errors == Self.lastLine)
            let commands = result.lines.filter { $0.hasPrefix("::") }
            #expect(commands.count == 1 && commands[0].hasPrefix(Self.annotation), "\(commands)")
            // After everything that the command has printed.
            #expect(result.lines.last == commands.first)
            let found = """
                for found in document["runs"][0]["results"]:
                    place = found["locations"][0]["physicalLocation"]
                    print(found["ruleId"], found["level"], place["artifactLocation"]["uri"], place["region"]["startLine"])
                """
            #expect(try json(repository.text("r.sarif"), found) == "panic/rust error code/main.rs 15\n")
            let entry = "for e in document: print(e['check_name'], e['severity'], e['location']['path'], e['location']['lines']['begin'])"
            #expect(try json(repository.text("q.json"), entry) == "panic/rust critical code/main.rs 15\n")
            #expect(
                try repository.text("s.md").hasPrefix(
                    "## cairn: 1 failure\n\n### `index out of bounds: the len is 3 but the index is 7 in main::pour`\n\n`panic/rust`, at `code/main.rs:15:5`"
                ))
            let report = try repository.text("r.xml")
            #expect(try xpath(report, Self.counts) == "1 1 0 0")
            #expect(try xpath(report, "string(//testsuite/@name)") == "sh -c cat panic.txt; exit 101")
            #expect(try xpath(report, "string(//error)").hasPrefix("code/main.rs:15\n"))
        }
    }

    @Test func `a summary stands behind what is there`() throws {
        try withRepository { repository in
            try writeFile(repository.folder + "/s.md", Array("earlier\n".utf8))
            #expect(try repository.ci(["--summary", "s.md"], Self.panics).status == 101)
            #expect(try repository.text("s.md").hasPrefix("earlier\n## cairn: 1 failure\n"))
        }
    }

    /// The report has a stack of addresses, which the program's debug information resolves; nothing
    /// else in it changes.
    @Test func `a report that the command wrote is answered in place`() throws {
        try withRepository { repository in
            let log = String(decoding: try readFile(TestPaths.fixture("logs/swift-backtrace/SwiftCrash-O-inlined/off.txt")), as: UTF8.self)
            let report = """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="s" tests="2"><testcase name="a" time="1.5"/><testcase name="b"><failure message="m &amp; n">%</failure></testcase></testsuite>
                """
            let escaped = log.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            try writeFile(repository.folder + "/made.xml", Array(report.replacing("%", with: escaped).utf8))
            let symbols = TestPaths.fixture("binaries/SwiftCrash/out/SwiftCrash-O")
            let result = try repository.ci(["--symbols", symbols, "--junit", "r.xml"], "cp made.xml r.xml; exit 1")
            #expect(result.status == 1 && result.errors == "")
            let written = try repository.text("r.xml")
            let text = try xpath(written, "string(//failure)")
            #expect(!log.contains("checkedHalf"))
            #expect(text.contains("checkedHalf(_:)") && text.contains("Warehouse.swift:23"))
            #expect(try xpath(written, "concat(count(//testcase),' ',//testcase[1]/@time,' ',//failure/@message)") == "2 1.5 m & n")
            // The symbolicated text in the place of the report's own, and canonical XML is the
            // same.
            let canonical = try run("xmllint", ["--c14n", "-"], input: Array(written.utf8)).output
            let before = try run("xmllint", ["--c14n", "-"], input: Array(report.utf8)).output
            let parts = before.split(separator: "%", omittingEmptySubsequences: false)
            #expect(parts.count == 2 && canonical.hasPrefix(parts[0]) && canonical.hasSuffix(parts[1]))
        }
    }

    /// A report of yesterday would be taken for today's.
    @Test func `a report that was there before is not passed on`() throws {
        try withRepository { repository in
            let old = "<testsuite name=\"old\"><testcase name=\"green\"/></testsuite>\n"
            try writeFile(repository.folder + "/r.xml", Array(old.utf8))
            _ = try run("touch", ["-d", "2020-01-01", repository.folder + "/r.xml"])
            let result = try repository.ci(["--junit", "r.xml"], Self.panics)
            #expect(result.status == 101)
            #expect(
                result.errors
                    == "cairn: warning: ci: r.xml: not written by the command, and older than it: replaced with a report of this run\n"
                    + Self.lastLine
            )
            #expect(try xpath(repository.text("r.xml"), Self.counts) == "1 1 0 0")
            #expect(try !repository.text("r.xml").contains("green"))
            // The same bytes, written by the command, are this run's.
            try writeFile(repository.folder + "/r.xml", Array(old.utf8))
            _ = try run("touch", ["-d", "2020-01-01", repository.folder + "/r.xml"])
            let written = try repository.ci(["--junit", "r.xml"], "cat r.xml > new; cat new > r.xml; exit 1")
            #expect(written.errors == "")
            #expect(try repository.text("r.xml") == old)
        }
    }

    @Test func `events that were there before are not of the run`() throws {
        try withRepository { repository in
            let events = """
                {"kind":"event","payload":{"kind":"issueRecorded","testID":"t","issue":{"isKnown":false,"sourceLocation":{"_filePath":"code/main.rs","line":3,"column":1}},"messages":[{"symbol":"fail","text":"old"}]},"version":0}

                """
            try writeFile(repository.folder + "/events", Array(events.utf8))
            let options = ["--event-stream", "events", "--annotations", "github"]
            let stale = try repository.ci(options, "exit 1")
            #expect(stale.output == "" && stale.errors.contains("events: not written by the command"))
            let own = try repository.ci(options, "cat events > new; sleep 0.01; cat new > events; exit 1")
            #expect(
                own.output.hasPrefix("::error file=code/main.rs,line=3,")
                    && own.errors == "cairn: note: ci: 1 failure: code/main.rs:3: old\n", "\(own.output) \(own.errors)")
        }
    }

    // MARK: By service

    @Test func `on GitHub annotations and the step's summary`() throws {
        try withRepository { repository in
            let summary = repository.folder + "/step"
            let service: [String: String?] = ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary]
            let result = try repository.ci([], Self.panics, environment: service)
            #expect(result.status == 101)
            #expect(result.lines.filter { $0.hasPrefix("::") }.map { $0.hasPrefix(Self.annotation) } == [true])
            #expect(try repository.text("step").hasPrefix("## cairn: 1 failure\n"))
            let silent = try repository.ci(["--annotations", "none"], Self.panics, environment: service)
            #expect(!silent.output.contains("::error"))
            // Somewhere else nothing is left by itself.
            #expect(try !repository.ci([], Self.panics).output.contains("::error"))
            #expect(try run("ls", [repository.folder]).lines == ["code", "panic.txt", "step"])
        }
    }

    @Test func `on GitLab a code quality report in the project's folder`() throws {
        try withRepository { repository in
            let project = repository.folder + "/project"
            try makeFolders(project)
            let result = try repository.ci([], Self.panics, environment: ["GITLAB_CI": "true", "CI_PROJECT_DIR": project])
            #expect(result.status == 101 && !result.output.contains("::error"))
            let paths = "print([e['location']['path'] for e in document])"
            #expect(try json(repository.text("project/gl-code-quality-report.json"), paths) == "['code/main.rs']\n")
        }
    }

    /// The agent's program is one of ours, which writes down what it is given.
    @Test func `on Buildkite an annotation of the build`() throws {
        try withRepository { repository in
            let tools = repository.folder + "/tools"
            try makeFolders(tools)
            try writeFile(tools + "/buildkite-agent", Array("#!/bin/sh\necho \"$@\" > \(tools)/arguments\ncat > \(tools)/input\n".utf8))
            _ = try run("chmod", ["+x", tools + "/buildkite-agent"])
            let path = tools + ":" + (TestPaths.environment("PATH") ?? "/usr/bin:/bin")
            let service: [String: String?] = ["BUILDKITE": "true", "PATH": path]
            #expect(try repository.ci([], Self.panics, environment: service).status == 101)
            #expect(try repository.text("tools/arguments") == "annotate --style error --context cairn --append\n")
            #expect(try repository.text("tools/input").hasPrefix("## cairn: 1 failure\n"))
            #expect(try repository.ci([], "cat panic.txt", environment: service).status == 0)
            #expect(try repository.text("tools/arguments").contains("--style warning"))
            _ = try run("rm", [tools + "/arguments"])
            #expect(try repository.ci([], "exit 3", environment: service).status == 3)
            #expect(!repository.has("tools/arguments"))
            // Without an agent: a line, and the command's own end.
            _ = try run("rm", [tools + "/buildkite-agent"])
            let without = try repository.ci([], Self.panics, environment: service)
            #expect(without.status == 101)
            #expect(
                without.errors == "cairn: warning: ci: the program buildkite-agent is not in PATH: the build has no annotation\n"
                    + Self.lastLine)
        }
    }

    @Test func `on Jenkins SARIF in the workspace`() throws {
        try withRepository { repository in
            let result = try repository.ci(
                [], Self.panics, environment: ["JENKINS_URL": "http://localhost:8080/", "WORKSPACE": repository.folder + "/code"])
            #expect(result.status == 101)
            #expect(try json(repository.text("code/cairn.sarif"), "print(len(document['runs'][0]['results']))") == "1\n")
        }
    }

    // MARK: Success

    private static let everything = ["--sarif", "r.sarif", "--junit", "r.xml", "--code-quality", "q.json", "--summary", "s.md"]
    private static let levels = "print([r['level'] for r in document['runs'][0]['results']])"

    @Test func `a command that succeeds leaves nothing that says otherwise`() throws {
        try withRepository { repository in
            let result = try repository.ci(Self.everything + ["--annotations", "github"], "echo fine")
            #expect(result.status == 0 && result.output == "fine\n" && result.errors == "")
            #expect(try json(repository.text("r.sarif"), Self.levels) == "[]\n")
            #expect(try repository.text("q.json") == "[]\n")
            #expect(!repository.has("s.md"))
            // Jenkins takes a report without a test case for a mistake, and ends the build as
            // failed.
            #expect(try xpath(repository.text("r.xml"), Self.counts) == "1 0 0 0")
            #expect(
                try xpath(repository.text("r.xml"), "concat(//testcase/@classname,' ',//testcase/@name)") == "cairn.command sh -c echo fine"
            )
        }
    }

    /// The output of an exit test or a death test belongs to the test.
    @Test func `a crash in a command that succeeds is no error anywhere`() throws {
        try withRepository { repository in
            let result = try repository.ci(Self.everything + ["--annotations", "github"], "cat panic.txt")
            #expect(result.status == 0 && result.errors == "")
            #expect(result.lines.filter { $0.hasPrefix("::") }.map { $0.hasPrefix("::warning file=code/main.rs,line=15,") } == [true])
            #expect(try json(repository.text("r.sarif"), Self.levels) == "['warning']\n")
            #expect(try json(repository.text("q.json"), "print([e['severity'] for e in document])") == "['info']\n")
            #expect(try repository.text("s.md").hasPrefix("## cairn: 1 failure in a command that succeeded\n"))
            #expect(try xpath(repository.text("r.xml"), Self.counts) == "2 0 0 1")
        }
    }

    // MARK: Ends

    /// A process of its own that prints for ever, and does with SIGQUIT what `setting` says.
    private func talker(_ setting: String) -> String {
        "python3 -u -c 'import signal, time\nsignal.signal(signal.SIGQUIT, signal.\(setting))\nwhile True: print(\"going on\"); time.sleep(0.05)'"
    }

    @Test func `a talkative command over its time is ended`() throws {
        try withRepository { repository in
            let ended = try repository.ci(["--timeout", "1", "--annotations", "github"], "ulimit -c 0; exec " + talker("SIG_DFL"))
            // As timeout(1), though SIGQUIT has ended the command.
            #expect(ended.status == 124)
            #expect(ended.errors.contains("the command took longer than 1.0 seconds and was terminated"))
            #expect(ended.output.hasPrefix("going on\n"))
            let commands = ended.lines.filter { $0.hasPrefix("::") }
            #expect(commands.count == 1 && commands[0].hasPrefix("::error title="), "\(commands)")
        }
    }

    /// The test's process ignores SIGQUIT and goes on printing; what runs it exits with 0 when it
    /// is gone. It is ended half a minute after SIGQUIT.
    @Test func `a command that talks on is not waited for for ever`() throws {
        try withRepository { repository in
            let ended = try repository.ci(["--timeout", "1"], talker("SIG_IGN") + "; echo over; exit 0")
            #expect(ended.status == 124 && ended.lines.last == "over")
        }
    }

    /// A process that it has left running goes on printing.
    @Test func `a command's end is its end`() throws {
        try withRepository { repository in
            let result = try repository.ci([], talker("SIG_DFL") + " & echo done; exit 3")
            #expect(result.status == 3 && result.lines.first == "done")
        }
    }
}
