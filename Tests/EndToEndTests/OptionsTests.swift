import TestSupport
import Testing

/// Options, exit statuses and where the output goes, as the command line's contract has them.
struct OptionsTests {
    private let log = "logs/apple-ips/CrashExample-exception/exception.ips"
    private let console = "logs/nsexception-console/CrashExample/console.log"
    private let binary = "binaries/CrashExample/out/CrashExample"

    @Test func `the version`() throws {
        #expect(try cairn("--version").output == "cairn 0.1.0\n")
    }

    @Test(arguments: [
        ["--bad-option"], ["symbolicate", "x", "--adjust", "sometimes"], ["x", "--log-format", "none"], ["info", "symbol"],
        ["verify"], ["verify", "x", "zz"], ["verify", "x", "--sample", "-1"], ["verify", "x", "--time-limit=-1"],
        ["verify", "x", "--memory-limit", "much"], ["dwarfdump", "--no-such-option", "x"],
        ["dwarfdump", "--find-all-apple", "x"], ["dwarfdump", "-dwo", "x"], ["dwarfdump", "--lookup", "zz", "x"],
        ["dwarfdump", "--debug-info=zz", "x"], ["dwarfdump", "--nonsense", "x"],
        ["dwarfdump", "--diff", "--verbose", "x"], ["dwarfdump", "--time-limit=-1", "x"],
        ["-", "--debuginfod=ftp://example.org"], ["-", "--time-budget", "0"], ["-", "--time-budget", "-1"],
        ["-", "--time-budget", "soon"], ["-", "--debuginfod", "http://127.0.0.1:9", "--no-debuginfod"],
    ])
    func `wrong usage is one line and status 64`(arguments: [String]) throws {
        let result = try cairn(arguments, environment: ["DEBUGINFOD_URLS": nil as String?])
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors.hasPrefix("cairn: ") && result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    }

    @Test(arguments: [
        (["--json", "x.log"], "cairn symbolicate"), (["explain", "--json", "x.log"], "cairn explain"),
        (["symbols", "add", "--bad"], "cairn symbols add"),
    ])
    func `wrong usage leads to the help of the command`(arguments: [String], command: String) throws {
        #expect(try cairn(arguments).errors.hasSuffix(" (see \(command) --help)\n"))
    }

    @Test func `a log that cannot be read is one line, the rest goes on, and the status is 1`() throws {
        let result = try cairn(console, "nothing.log", console, "--symbols", binary, "--quiet")
        #expect(result.status == 1)
        #expect(result.errors == "cairn: error: nothing.log: no such file or directory\n")
        let one = try cairn(console, "--symbols", binary)
        #expect(result.output == one.output + one.output)
    }

    @Test func `a file without a trace passes through unchanged, with status 1`() throws {
        let result = try cairn("README.md")
        #expect(result.status == 1)
        #expect(result.standardOutput == (try readFile(TestPaths.fixture("README.md"))))
        #expect(
            result.errors.hasPrefix("cairn: error: README.md: no crash report found. ") && result.errors.split(separator: "\n").count == 1)
    }

    @Test func `standard input is a log`() throws {
        let text = String(decoding: try readFile(TestPaths.fixture(console)), as: UTF8.self)
        let result = try cairn("-", "--symbols", binary, input: text)
        #expect(result.output == (try cairn(console, "--symbols", binary)).output)
    }

    @Test func `CAIRN_SYMBOLS adds to what is given`() throws {
        let result = try cairn(console, environment: ["CAIRN_SYMBOLS": "/nowhere/at/all:" + TestPaths.fixture(binary)])
        #expect(result.errors.hasPrefix("cairn: error: /nowhere/at/all: no such file or directory"))
        #expect(result.status == 1)
        #expect(result.output == (try cairn(console, "--symbols", binary)).output)
    }

    @Test func `one log goes to the file, several into the folder under their names`() throws {
        try withTemporaryFolder { folder in
            let alone = try cairn(console, "--symbols", binary, "-o", folder + "/answer")
            #expect(alone.status == 0)
            #expect(alone.output == "")
            let expected = try cairn(console, "--symbols", binary).standardOutput
            #expect(try readFile(folder + "/answer") == expected)
            let other = "logs/nsexception-console/CrashExample-arm64/console.log"
            let several = try cairn(console, other, "--symbols", binary, "-q", "-o", folder + "/all")
            #expect(several.status == 0)
            #expect(try run("ls", [folder + "/all"]).lines.sorted() == ["console-2.log", "console.log"])
            #expect(try readFile(folder + "/all/console.log") == expected)
        }
    }

    @Test func `an input is never the output`() throws {
        try withTemporaryFolder { folder in
            let before = try readFile(TestPaths.fixture(console))
            try writeFile(folder + "/console.log", before)
            let linked = try run("ln", ["-s", "console.log", folder + "/link"])
            #expect(linked.status == 0)
            for output in ["/console.log", "/link", "/"] {
                let result = try cairn(folder + "/console.log", "--symbols", binary, "-o", folder + output)
                #expect(result.status == 1)
                #expect(result.errors.contains("cairn never changes its input"))
            }
            #expect(try readFile(folder + "/console.log") == before)
        }
    }

    @Test func `strict ends with 3 where a frame of an image stays without a name, and a failure beats it`() throws {
        #expect(try cairn(log, "--strict", "-q").status == 3)
        #expect(try cairn(log, "--strict", "--symbols", binary, "-q").status == 0)
        #expect(try cairn(log, "nothing.log", "--strict", "-q").status == 1)
        #expect(try cairn(log, "-q").status == 0)
    }

    @Test func `a symbol file of another build is refused, and the reason names both; force uses it and says so`() throws {
        try withTemporaryFolder { folder in
            let text = String(decoding: try readFile(TestPaths.fixture(log)), as: UTF8.self)
            let own = "4C4C44FC-5555-3144-A11B-E947A8E8E6FE"
            let other = "00000000-1111-2222-3333-444444444444"
            #expect(text.lowercased().contains(own.lowercased()))
            let changed = text.replacing(own.lowercased(), with: other).replacing(own, with: other)
            try writeFile(folder + "/other.ips", Array(changed.utf8))
            let refused = try cairn(folder + "/other.ips", "--symbols", binary)
            #expect(refused.output == changed)
            #expect(
                refused.errors.contains("UUID differs: the log has \(other), \(binary) has 4C4C4415-5555-3144-A1EE-F64263BE1FB5, \(own)"))
            let forced = try cairn(folder + "/other.ips", "--symbols", binary, "--force", "--format", "json")
            let frames = try #require(try jsonLogs(forced).first?.exceptionBacktrace?.frames)
            let answered = frames.filter { $0.functions != nil }
            #expect(answered.compactMap { $0.functions?.last?.line } == [94, 60, 47, 9])
            #expect(answered.allSatisfy { $0.reason == "from a file whose build ID or UUID differs from the log's" })
            #expect(forced.errors.contains("for CrashExample although the build ID or UUID differs (--force)"))
        }
    }

    @Test func `only the crashed thread is answered if only that is wanted`() throws {
        let swift = "logs/swift-backtrace/SwiftAsyncCrash/off.json"
        let all = try #require(try jsonLogs(try cairn(swift, "--symbols", "binaries", "--format", "json", "-q")).first)
        let crashed = try #require(
            try jsonLogs(try cairn(swift, "--symbols", "binaries", "--format", "json", "-q", "--threads", "crashed")).first)
        #expect(all.threads.count > 1)
        #expect(crashed.threads.map(\.crashed) == [true])
        let same = try cairn("logs/swift-backtrace/SwiftAsyncCrash/off.txt", "--symbols", "binaries", "-q", "--threads", "crashed")
        #expect(same.status == 0)
    }

    @Test func `formats names what a log is`() throws {
        let result = try cairn("formats", console, log, "README.md")
        #expect(result.lines == ["\(console): nsexception-console", "\(log): apple-ips"])
        #expect(result.status == 1)
        #expect(try cairn("formats").lines.count >= 5)
    }
}
