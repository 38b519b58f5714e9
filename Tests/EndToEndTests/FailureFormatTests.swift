import TestSupport
import Testing

/// `--format markdown`, `sarif`, `junit` and `github`: documents of the failures in logs.
struct FailureFormatTests {
    private static let swift = "logs/swift-backtrace/SwiftCrash-O-inlined/off.txt"
    /// The fixtures as a repository, which the sources of the program lie in that was built without
    /// their paths.
    private static let repositoryOptions = [
        "--repository", ".", "--path-map", "/src=binaries/SwiftCrash", "--symbols", "binaries/SwiftCrash/out/SwiftCrash-O", "-q",
    ]

    private func line(of text: String, in path: String) throws -> Int {
        let source = String(decoding: try readFile(TestPaths.fixture(path)), as: UTF8.self)
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        return try #require(lines.firstIndex { $0.contains(text) }) + 1
    }

    private static let hasSchemas = TestPaths.schema("sarif-2.1.0.json") != nil && Python.interpreter(with: "jsonschema") != nil

    /// Output of a Python script about a SARIF document (`run`) that the schema has nothing
    /// against.
    private func sarif(_ document: [UInt8], _ script: String) throws -> [String] {
        let python = try #require(Python.interpreter(with: "jsonschema"))
        let check = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            document = json.load(sys.stdin)
            for error in jsonschema.validators.validator_for(schema)(schema).iter_errors(document): print(error.json_path, error.message[:200])
            run = document["runs"][0]
            notes = run["invocations"][0].get("toolExecutionNotifications", [])
            \(script)
            """
        return try run(python, ["-c", check, try #require(TestPaths.schema("sarif-2.1.0.json"))], input: document).requireSuccess().lines
    }

    /// Value of an XPath expression in a JUnit report that the schema has nothing against.
    private func junit(_ document: [UInt8], _ expression: String) throws -> String {
        try run("xmllint", ["--noout", "--schema", try #require(TestPaths.schema("junit.xsd")), "-"], input: document).requireSuccess()
        return try run("xmllint", ["--xpath", expression, "-"], input: document).lines.joined(separator: "\n")
    }

    // MARK: One document

    @Test(.enabled(if: hasSchemas, "schemas, jsonschema")) func `several logs are one SARIF document, as the schema has it`() throws {
        let other = "logs/swift-backtrace/SwiftCrash-index/full.txt"
        let list = "logs/address-list/nested/files.txt"
        let result = try cairn([Self.swift, other, list] + Self.repositoryOptions + ["--format", "sarif"])
        #expect(result.status == 0 && result.errors == "")
        let lines = try sarif(
            result.standardOutput,
            """
            for found in run["results"]:
                place = found["locations"][0]["physicalLocation"]
                print(found["ruleId"], found["level"], place["artifactLocation"]["uri"], place["region"]["startLine"], found["analysisTarget"]["uri"])
            for note in notes: print(note["level"], note["associatedRule"]["id"], note["message"]["text"].splitlines()[0])
            """)
        let half = try line(of: "precondition(value % 2", in: "binaries/SwiftCrash/Warehouse.swift")
        // The second log names its line itself, `at /src/Warehouse.swift:7:14`, and the path map
        // holds for it.
        #expect(
            lines == [
                "crash/SIGILL error binaries/SwiftCrash/Warehouse.swift \(half) \(Self.swift)",
                "crash/SIGILL error binaries/SwiftCrash/Warehouse.swift 7 \(other)", "note report/address-list No failure: address-list",
            ])
    }

    /// `executionSuccessful`, §3.20.14: whether the run did all that it was to do.
    @Test(.enabled(if: hasSchemas, "schemas, jsonschema")) func `a run with a log that cannot be read did not succeed`() throws {
        let result = try cairn([Self.swift, "logs/no-such.log"] + Self.repositoryOptions + ["--format", "sarif"])
        #expect(result.status == 1)
        let lines = try sarif(
            result.standardOutput, "print(run[\"invocations\"][0][\"executionSuccessful\"], len(run[\"results\"]))")
        #expect(lines == ["False 1"])
    }

    @Test(.enabled(if: TestPaths.schema("junit.xsd") != nil, "schemas")) func `several logs are suites of one JUnit report`() throws {
        let list = "logs/address-list/nested/files.txt"
        let result = try cairn([Self.swift, list] + Self.repositoryOptions + ["--format", "junit"])
        #expect(result.status == 0 && result.errors == "")
        let summary = try junit(
            result.standardOutput,
            "concat(count(//testsuite),' ',//testsuite[1]/@name,' ',//testsuite[1]/@errors,' ',//testsuite[2]/@name,' ',//testsuite[2]/@errors,' ',//testsuite[2]/@skipped)"
        )
        #expect(summary == "2 \(Self.swift) 1 \(list) 0 1")
        let body = try junit(result.standardOutput, "string(//error)")
        let half = try line(of: "precondition(value % 2", in: "binaries/SwiftCrash/Warehouse.swift")
        #expect(body.hasPrefix("binaries/SwiftCrash/Warehouse.swift:\(half)\n"))
        #expect(body.contains("* 1 checkedHalf(_:) [inlined] in SwiftCrash-O at binaries/SwiftCrash/Warehouse.swift:\(half)"))
    }

    /// The message that a process prints before it crashes is above the trace.
    @Test func `an annotation stands on the line, with the process's own words`() throws {
        let result = try cairn(["logs/swift-backtrace/SwiftCrash-index/full.txt", "--format", "github"] + Self.repositoryOptions)
        #expect(result.lines.count == 1)
        #expect(
            result.output.hasPrefix(
                "::error file=binaries/SwiftCrash/Warehouse.swift,line=7,endLine=7,col=14,title=Index out of range in Shelf.box(at%3A)::Fatal error: Index out of range%0A"
            ), "\(result.output)")
    }

    @Test func `a crash that a log has twice is told once, and counted`() throws {
        let once = String(decoding: try readFile(TestPaths.fixture(Self.swift)), as: UTF8.self)
        let result = try cairn(["-", "--format", "markdown"] + Self.repositoryOptions, input: once + "\nmore\n" + once)
        #expect(result.output.hasPrefix("## cairn: 1 failure\n"))
        #expect(result.output.contains("`, 2 times\n"))
        #expect(result.output.contains("In the log on standard input."))
    }

    // MARK: Where it goes

    @Test func `a folder gets a document for each log, a document's name one for all`() throws {
        try withTemporaryFolder { folder in
            let logs = [Self.swift, "logs/swift-backtrace/SwiftCrash-index/full.txt"]
            for (format, ending) in [("sarif", ".sarif"), ("junit", ".xml"), ("markdown", ".md"), ("github", ".txt")] {
                let into = folder + "/" + format
                #expect(try cairn(logs + Self.repositoryOptions + ["--format", format, "-o", into]).status == 0)
                #expect(try run("ls", [into]).lines == ["full.txt" + ending, "off.txt" + ending])
                let alone = try cairn([Self.swift] + Self.repositoryOptions + ["--format", format])
                #expect(try readFile(into + "/off.txt" + ending) == alone.standardOutput)
            }
            for (format, name) in [("sarif", "all.sarif"), ("sarif", "all.json"), ("junit", "all.xml"), ("markdown", "all.md")] {
                let path = folder + "/" + name
                #expect(try cairn(logs + Self.repositoryOptions + ["--format", format, "-o", path]).output == "")
                #expect(try readFile(path) == (try cairn(logs + Self.repositoryOptions + ["--format", format])).standardOutput)
            }
            // A folder stays one whatever it is called.
            try makeFolders(folder + "/x.sarif")
            #expect(try cairn(logs + Self.repositoryOptions + ["--format", "sarif", "-o", folder + "/x.sarif"]).status == 0)
            #expect(try run("ls", [folder + "/x.sarif"]).lines == ["full.txt.sarif", "off.txt.sarif"])
        }
    }

    @Test func `a log is never written over`() throws {
        try withTemporaryFolder { folder in
            let log = folder + "/a.md"
            try writeFile(log, try readFile(TestPaths.fixture(Self.swift)))
            let result = try cairn([log, Self.swift] + Self.repositoryOptions + ["--format", "markdown", "-o", log])
            #expect(result.status == 1 && result.errors.contains("it is one of the logs"))
            #expect(try readFile(log) == (try readFile(TestPaths.fixture(Self.swift))))
        }
    }

    // MARK: Statuses and words

    @Test func `what cannot be read is told, and the rest goes on`() throws {
        let result = try cairn(["no-such.log", Self.swift] + Self.repositoryOptions + ["--format", "markdown"])
        #expect(result.status == 1)
        #expect(result.errors == "cairn: error: no-such.log: no such file or directory\n")
        #expect(result.output.hasPrefix("## cairn: 1 failure\n"))
        let nothing = try cairn(["README.md", "logs/README.md", "--format", "sarif", "-q"])
        #expect(nothing.status == 1)
        #expect(nothing.output.contains("\"results\":[]"))
        #expect(nothing.errors.split(separator: "\n").count == 2)
    }

    @Test func `statuses and remarks are those of the other formats`() throws {
        for format in ["markdown", "sarif", "junit", "github"] {
            let text = try cairn("logs/apple-ips/CrashExample-exception/exception.ips", "--format", "text", "--strict")
            let result = try cairn("logs/apple-ips/CrashExample-exception/exception.ips", "--format", format, "--strict")
            #expect(text.status == 3 && result.status == 3)
            #expect(text.errors.contains("unresolved") && result.errors == text.errors)
        }
        #expect(try cairn(Self.swift, "--format", "sarif", "--repository", "/nonexistent").status == 64)
    }

    /// No repository around it: places are shown relative to the folder of the sources.
    @Test func `the sources' folder is the root where there is no repository`() throws {
        try withTemporaryFolder { folder in
            _ = try run("cp", [TestPaths.fixture("binaries/SwiftCrash/Warehouse.swift"), folder])
            let result = try cairn(
                Self.swift, "--symbols", "binaries/SwiftCrash/out/SwiftCrash-O", "--source-root", folder, "--path-map", "/src=" + folder,
                "--format", "github", "-q")
            let half = try line(of: "precondition(value % 2", in: "binaries/SwiftCrash/Warehouse.swift")
            #expect(result.output.hasPrefix("::error file=Warehouse.swift,line=\(half),"), "\(result.output)")
        }
    }

    // MARK: Hostile logs

    /// Names and messages of a trace that would be commands, markup or terminal escapes.
    @Test(.enabled(if: hasSchemas, "schemas, jsonschema")) func `nothing of a log is more than text`() throws {
        let evil = "\u{1b}[31m::error file=x::y##[error]z<script>alert(1)</script></details>]]>%0A::error::w``` [a](http://x) {0} \u{202e}"
        let log = """
            Traceback (most recent call last):
              File "/src/\(evil).py", line 3, in \(evil)
                f()
              File "/src/b.py", line 4, in f
                raise ValueError
            ValueError: \(evil)

            """
        try withTemporaryFolder { folder in
            let path = folder + "/::error::\u{1b}[0m`x`.log"
            try writeFile(path, Array(log.utf8))
            for format in ["markdown", "sarif", "junit", "github"] {
                let result = try cairn(path, "--format", format, "-q").requireSuccess()
                for scalar: Unicode.Scalar in ["\u{1b}", "\u{202e}"] {
                    #expect(!result.output.unicodeScalars.contains(scalar), "\(format)")
                }
                switch format {
                case "github":
                    #expect(result.lines.count == 1 && result.output.hasPrefix("::warning title="))
                    #expect(!result.output.contains("##[") && !result.output.contains("%0A::error"))
                    // The title cannot end the properties.
                    #expect(result.output.dropFirst(2).split(separator: "::", maxSplits: 1)[0].contains("ValueError"))
                case "sarif": #expect(try sarif(result.standardOutput, "print(len(run['results']), len(notes))") == ["0 1"])
                case "junit":
                    #expect(try junit(result.standardOutput, "concat(count(//testcase),count(//error),count(//script))") == "110")
                default:
                    // The text outside of fenced blocks and code spans has no tag but ours.
                    let text = result.output.split(separator: "\n").filter { $0.contains("<") && !$0.hasPrefix("<details>") }
                    #expect(text.allSatisfy { $0 == "</details>" || $0.contains("<script>") }, "\(text)")
                    #expect(result.output.split(separator: "\n").count { $0.hasPrefix("````") } % 2 == 0)
                }
            }
        }
    }

    // MARK: Real logs

    /// All logs of the fixtures, and some of each format of the corpus, as one document: the
    /// schemas have nothing against it, and each log is in it.
    @Test(.enabled(if: hasSchemas, "schemas, jsonschema")) func `logs of every format make valid documents`() throws {
        var logs = TestPaths.files(under: TestPaths.fixture("logs")).filter {
            !$0.hasSuffix(".tsv") && !$0.hasSuffix(".md") && !$0.hasSuffix(".sh")
        }
        for folder in CorpusTests.files("logs").map({ $0.split(separator: "/").dropLast().joined(separator: "/") }).uniqued() {
            logs += CorpusTests.files(folder).map { CorpusTests.corpus + "/" + $0 }.filter { TestPaths.bytes(of: $0).count < 200_000 }
                .prefix(2)
        }
        let readable = try logs.filter { try cairn($0, "--format", "json", "-q").status == 0 }
        #expect(readable.count > 150)
        let sarif = try cairn(readable + ["--format", "sarif", "-q"])
        let counts = try self.sarif(
            sarif.standardOutput, "print(len(run['results']), len(notes) + len(run['results']) >= \(readable.count))")
        #expect(counts.count == 1 && counts[0].hasSuffix("True"), "\(counts)")
        let suites = try cairn(readable + ["--format", "junit", "-q"])
        #expect(
            try junit(suites.standardOutput, "concat(count(//testsuite),' ',count(//testsuite[not(testcase)]))") == "\(readable.count) 0")
        for format in ["markdown", "github"] {
            let result = try cairn(readable + ["--format", format, "-q"])
            #expect(result.status == 0 && !result.output.unicodeScalars.contains("\u{1b}"))
        }
    }
}

extension Array where Element: Hashable {
    /// Each once, in the order in which they come.
    fileprivate func uniqued() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
