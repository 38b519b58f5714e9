import TestSupport
import Testing

/// Output for people who do not know the command line yet: help, and errors that have the command
/// to type instead.
struct HelpTests {
    private static let log = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"

    @Test func `the help has every command, examples and the exit status`() throws {
        let help = try cairn("--help")
        #expect(help.status == 0 && help.errors.isEmpty)
        for name in [
            "symbolicate", "explain", "symbols", "batch", "ci", "dwarfdump", "fetch", "verify", "addr2line", "atos", "llvm-symbolizer",
        ] {
            #expect(help.lines.contains { $0.hasPrefix("  \(name) ") }, "\(name)")
        }
        #expect(help.lines.contains("cairn crash.ips --symbols App.dSYM"))
        #expect(help.output.contains("EXIT STATUS:\n  0   success\n  1   error"))
        #expect(help.lines.allSatisfy { $0.count <= 80 })
        #expect(try cairn("help").output == help.output)
        #expect(try cairn("symbolicate", "--help").output.contains("Exit status: 0"))
    }

    /// A screen is 40 lines: less than half of the long help, and than the short help of `rg`.
    @Test(arguments: [[], ["symbolicate"], ["ci"], ["batch"], ["serve"]])
    func `the short help fits a screen, and its options are those of the long one`(command: [String]) throws {
        let short = try cairn(command + ["-h"])
        #expect(short.status == 0 && short.errors.isEmpty)
        #expect(short.lines.count <= 40 && short.lines.allSatisfy { $0.count <= 80 }, "\(short.output)")
        let long = try cairn((command.isEmpty ? ["symbolicate"] : command) + ["--help"]).output
        let options = try #require(short.output.firstRange(of: "\nOPTIONS:\n")),
            end = try #require(short.output.firstRange(of: "\nMORE:\n"))
        let names = short.output[options.upperBound..<end.lowerBound].split { " ,.\n".contains($0) }.filter { $0.hasPrefix("--") }
        #expect(Set(names).count == 10)
        for name in names { #expect(long.contains(" \(name)"), "\(name)") }
        for example in short.output[..<options.lowerBound].split(separator: "\n") where example.hasPrefix("  ") {
            #expect(example.contains("cairn") || example.contains("127.0.0.1"), "\(example)")
        }
        // Beside other arguments it is the same screen.
        if command == ["ci"] { #expect(try cairn("ci", "--timeout", "5", "-h", "--", "true").output == short.output) }
    }

    @Test func `the help of batch has the options of a run and the way to the others`() throws {
        let help = try cairn("batch", "--help").output
        for part in ["--symbols", "--report <dir>", "--jobs <count>", "\n  top ", "See 'cairn help batch <subcommand>'"] {
            #expect(help.contains(part), "\(part)")
        }
        #expect(try cairn("help", "batch", "top").output == (try cairn("batch", "top", "--help").output))
    }

    /// The separate programs describe themselves; cairn's help has the same words, though they may
    /// not be installed.
    @Test(arguments: ["batch", "ci", "dwarfdump", "fetch", "groups", "stream", "verify"])
    func `help of a separate program is that program's`(
        name: String
    )
        throws
    {
        let help = try cairn("help", name)
        #expect(help.status == 0)
        let own = try cairn(name, "--help")
        #expect(help.output == own.output)
        let overview = help.output.replacing("\n", with: " ").dropFirst("OVERVIEW: ".count)
        let all = try cairn("help").output
        let row = try #require(all.firstRange(of: "\n  \(name) "))
        let text = all[row.upperBound...].split(separator: "\n  ", maxSplits: 1)[0].split { $0 == " " || $0 == "\n" }.joined(
            separator: " ")
        let summary = text.prefix { $0 != "." }
        #expect(summary.count > 20 && overview.hasPrefix(summary), "\(summary)")
        #expect(help.lines.contains { $0.hasPrefix("USAGE: cairn \(name) ") }, "\(help.output)")
    }

    @Test func `help of a tool is that tool's`() throws {
        for name in ["addr2line", "atos", "llvm-symbolizer"] {
            let (help, own) = (try cairn("help", name), try cairn(name, "--help"))
            #expect(help.output == own.output)
        }
        let (help, own) = (try cairn("help", "symbols", "add"), try cairn("symbols", "add", "--help"))
        #expect(help.output == own.output)
        #expect(try cairn("batch", "lists", "--help").lines.contains("USAGE: cairn batch lists [NAME]"))
    }

    /// A command line, and the one line of output that it leads to.
    @Test(
        arguments: [
            (["help", "exlpain"], "help: exlpain: no such command. Did you mean explain? (see cairn --help)"),
            (["help", "nosuch"], "help: nosuch: no such command (see cairn --help)"),
            (
                ["explian", Self.log],
                "explian: not a command, and no such file. Did you mean cairn explain \(Self.log)? (see cairn --help)"
            ),
            (["0x1803"], "0x1803: not a file. To look up an address: cairn addr2line -e FILE 0x1803 (see cairn --help)"),
            (
                ["-e", "inv", "0x1803"],
                "Unknown option '-e'. To look up addresses: cairn addr2line -e inv 0x1803 (see cairn symbolicate --help)"
            ),
            (["ndk-stack", "-sym", "obj"], "ndk-stack: not a command of cairn. Use: cairn LOG -sym DIR (see cairn --help)"),
            (["top", "--store", "s"], "top: not a command, and no such file. Use: cairn batch top --store s (see cairn --help)"),
            (["run", "-x", "./a.out"], "Unknown option '-x' (see cairn run --help)"),
            (["--json", Self.log], "Unknown option '--json'. Use: --format json (see cairn symbolicate --help)"),
            ([Self.log, "--txt"], "Unknown option '--txt'. Did you mean --format text? (see cairn symbolicate --help)"),
            ([Self.log, "--simbols", "x"], "Unknown option '--simbols'. Did you mean --symbols? (see cairn symbolicate --help)"),
            ([Self.log, "-symbols", "x"], "Unknown option '-symbols'. Use: --symbols (see cairn symbolicate --help)"),
            (
                ["explain", Self.log, "--adjust"],
                "Unknown option '--adjust'. It is an option of cairn symbolicate (see cairn explain --help)"
            ),
            (["symbols", "add", "a", "--to", "b", "--nothing-alike"], "Unknown option '--nothing-alike' (see cairn symbols add --help)"),
            (["--dsym", "X"], "Unknown option '--dsym'. Use: --symbols (see cairn symbolicate --help)"),
            (["-dsym", "X"], "Unknown option '-d'. Use: --symbols (see cairn symbolicate --help)"),
            (["ci", "--dsym", "X", "--", "true"], "ci: Unknown option '--dsym'. Use: --symbols (see cairn ci --help)"),
            (["symbols", "ad", "x"], "ad: not a command of cairn symbols. Did you mean add? (see cairn symbols --help)"),
            (["info", "nothing", "x"], "nothing: not a command of cairn info (see cairn info --help)"),
            (["groups", "merg"], "groups: merg: not a command of cairn groups. Did you mean merge? (see cairn groups --help)"),
            (["serve", "--port", "80808"], "serve: --port 80808: expected 0 to 65535 (see cairn serve --help)"),
            (
                ["serve", "--port", "80", "--listen", "[::]:80"],
                "serve: --port and --listen: expected one of them. Use: --listen ADDRESS:PORT (see cairn serve --help)"
            ),
            (
                [Self.log, "--format", "jsn"],
                "The value 'jsn' is invalid for '--format <format>'. Did you mean json? (see cairn symbolicate --help)"
            ),
            (
                [Self.log, "--log-format", "asan"],
                "no such log format: asan. Did you mean sanitizer-asan or sanitizer-gwp-asan? (see cairn symbolicate --help)"
            ),
            ([Self.log, "--log-format", "xyzzy"], "no such log format: xyzzy. Run: cairn formats (see cairn symbolicate --help)"),
            ([Self.log, "--arch", "arm65"], "no such architecture: arm65. Did you mean arm64? (see cairn symbolicate --help)"),
            (
                [Self.log, "--arch", "pdp11"],
                "no such architecture: pdp11. Use a name like x86_64, arm64, armv7 or riscv64 (see cairn symbolicate --help)"
            ),
            (["manual", "batchtop"], "manual: batchtop: no such command. Did you mean batch top? (see cairn --help)"),
            (
                ["ci", "swift", "test", "--filter", "a b"],
                "ci: the command must follow --. Run: cairn ci -- swift test --filter 'a b' (see cairn ci --help)"
            ),
            (["ci", "--timeout", "3", "true"], "ci: the command must follow --. Run: cairn ci --timeout 3 -- true (see cairn ci --help)"),
            (["ci"], "ci: no command after --. Run: cairn ci -- COMMAND (see cairn ci --help)"),
        ] as [([String], String)])
    func `wrong usage is a line with what to type instead`(arguments: [String], line: String) throws {
        let result = try cairn(arguments)
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(result.errors == "cairn: error: \(line)\n")
    }

    @Test func `the values of an option are listed in the line`() throws {
        let result = try cairn(Self.log, "--format", "yaml")
        #expect(result.status == 64)
        #expect(
            result.errors.hasPrefix("cairn: error: The value 'yaml' is invalid for '--format <format>'. Expected one of same, text, json, ")
        )
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test func `of a directory the command for directories is named`() throws {
        try withTemporaryFolder { folder in
            let result = try cairn(folder, Self.log, "-q", "--no-local")
            #expect(result.status == 1)
            #expect(result.errors == "cairn: error: \(folder): is a directory. Run: cairn batch --no-local \(folder)\n")
            let alone = try cairn(Self.log, "-q", "--no-local")
            #expect(result.output == alone.output)
        }
        let mistyped = try cairn("batch", "tpo")
        #expect(
            mistyped.errors
                == "cairn: error: tpo: no such file, directory or command. Did you mean cairn batch top? (see cairn batch --help)\n")
    }

    @Test func `a log that is missing is missing`() throws {
        for name in ["nosuch.log", "folder/explian", "nosuchlog"] {
            #expect(try cairn(name).errors == "cairn: error: \(name): no such file or directory\n")
        }
        // A file with the name of a mistyped command is a log.
        try withTemporaryFolder { folder in
            try writeFile(folder + "/explian", try readFile(TestPaths.fixture(Self.log)))
            let result = try run("sh", ["-c", "cd '\(folder)' && '\(TestPaths.cairn)' explian -q"])
            let named = try cairn(Self.log, "-q")
            #expect(result.status == 0 && result.output == named.output)
        }
    }

    @Test func `symbols are given as ndk-stack has them`() throws {
        let result = try cairn(Self.log, "-sym", "binaries/CrashExample/out")
        let long = try cairn(Self.log, "--symbols", "binaries/CrashExample/out")
        #expect(result.output == long.output)
        let without = try cairn(Self.log, "--no-local")
        #expect(result.output != without.output)
    }

    @Test func `compilers' names of architectures are cairn's`() throws {
        let log = "logs/nsexception-console/CrashExample/console.log"
        let own = try cairn(log, "--arch", "arm64", "--format", "json", "--no-local")
        let other = try cairn(log, "--arch", "aarch64", "--format", "json", "--no-local")
        #expect(own.output == other.output && !own.output.isEmpty)
    }

    @Test func `a manual page is text on a terminal and roff in a pipe`() throws {
        let roff = try cairn("manual", "explain")
        #expect(roff.output.hasPrefix(".TH "))
        let shown = try onTerminal(["manual", "explain"])
        #expect(shown.status == 0 && shown.lines.first == "NAME")
        #expect(shown.lines.contains("SYNOPSIS") && shown.lines.contains("EXIT STATUS"))
        #expect(shown.lines.contains { $0.hasPrefix("       --sysroot DIR") })
        #expect(!shown.output.contains("\\f") && !shown.output.contains("\\-") && !shown.lines.contains { $0.hasPrefix(".") })
        #expect(shown.lines.allSatisfy { $0.count <= 80 })
    }
}
