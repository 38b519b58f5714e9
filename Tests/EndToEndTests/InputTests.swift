import TestSupport
import Testing

/// Input as people have it: compressed, from a pipe, or none at all.
struct InputTests {
    private static let log = "logs/apple-crash/CrashExample-bad-access/bad-access.crash"

    @Test(arguments: ["gzip -c", "bzip2 -c", "xz -c", "zstd -qc", LogTools.zlib])
    func `a compressed log is read as what it holds`(tool: String) throws {
        try withTemporaryFolder { folder in
            let plain = try cairn(Self.log, "-q")
            // The name says nothing.
            let path = folder + "/a.log"
            try run("sh", ["-c", "\(tool) < '\(TestPaths.fixture(Self.log))' > '\(path)'"]).requireSuccess()
            #expect(try cairn(path, "-q").standardOutput == plain.standardOutput)
            let piped = try run("sh", ["-c", "'\(TestPaths.cairn)' -q < '\(path)'"])
            #expect(piped.standardOutput == plain.standardOutput)
            #expect(try cairn("formats", path).output == "\(path): apple-crash\n")
            let explained = try cairn("explain", path)
            #expect(explained.output.replacing(path, with: Self.log) == (try cairn("explain", Self.log)).output)
            #expect(try cairn("anonymize", path).standardOutput == (try cairn("anonymize", Self.log)).standardOutput)
            let batch = try run(TestPaths.cairn, ["batch", folder, TestPaths.fixture(Self.log), "--store", folder + "/.store"])
            // The same log, compressed and not: one log.
            #expect(batch.status == 0 && batch.output.contains("1 report of 1 crash log:"), "\(batch.output)\(batch.errors)")
        }
    }

    @Test(arguments: ["gzip -c", "xz -c", "zstd -qc"]) func `a log that ends early is read as far as it goes`(tool: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/a.log"
            // Three times the same log with much between: the first report is before the cut.
            let script = "{ cat \"$1\"; seq 100000; cat \"$1\"; } | \(tool) > whole; head -c $(($(wc -c < whole) / 2)) whole > a.log"
            _ = try run("sh", ["-c", script, "sh", TestPaths.fixture(Self.log)], directory: folder)
            for arguments in [[path, "-q"], ["explain", path], ["batch", path, "--store", folder + "/store"]] {
                let result = try cairn(arguments)
                #expect(result.status == 1 && result.errors.contains("\(path): the "), "\(arguments): \(result.errors)")
                #expect(result.errors.contains(" data ends early. Only the first "), "\(result.errors)")
            }
            #expect(try cairn(path, "--format", "json", "-q").lines.count == 1)
        }
    }

    @Test func `without arguments standard input is the log`() throws {
        let text = String(decoding: try readFile(TestPaths.fixture(Self.log)), as: UTF8.self)
        let expected = try cairn("-", "-q", input: text).output
        #expect(try cairn("-q", input: text).output == expected)
        #expect(try cairn("symbolicate", "-q", input: text).output == expected)
        #expect(try cairn("explain", input: text).output == (try cairn("explain", "-", input: text)).output)
        #expect(try cairn("anonymize", input: text).output == (try cairn("anonymize", "-", input: text)).output)
        // A list stays a list: scripts have no terminal.
        #expect(try cairn("formats", input: text).output == (try cairn("formats")).output)
        let empty = try cairn([])
        #expect(
            empty.status == 1 && empty.output.isEmpty
                && empty.errors
                    == "cairn: error: standard input: the log is empty. To run a program and show where it crashes: cairn run PROGRAM\n"
        )
    }

    @Test func `on a terminal without arguments a short help is shown`() throws {
        for arguments in [[], ["symbolicate"]] {
            let shown = try onTerminal(arguments)
            #expect(shown.status == 0)
            #expect(shown.output == (try cairn("-h").output))
        }
        for (arguments, command) in [
            (["--symbols", "/tmp"], "cairn symbolicate"), (["explain"], "cairn explain"), (["anonymize"], "cairn anonymize"),
        ] {
            let shown = try onTerminal(arguments)
            #expect(shown.status == 64)
            #expect(
                shown.lines == ["cairn: error: no log given. Name a file, or pipe a log into it (see \(command) --help)"], "\(shown.output)"
            )
        }
    }

    @Test func `a text without a report has one line of error`() throws {
        let text = "$ make test\nall is well\n./prog [0x401234]\n"
        let result = try cairn("-", input: text)
        #expect(result.status == 1 && result.output == text)
        let message = "Line 3 looks like a frame of glibc-backtrace, but a single row without a heading is not read as a stack."
        #expect(result.errors == "cairn: error: standard input: no crash report found. \(message)\n")
        #expect(
            try cairn("-", input: "text\n").errors
                == "cairn: error: standard input: no crash report found. Supported formats: cairn formats. To run a program and show where it crashes: cairn run PROGRAM\n"
        )
    }

    /// `Fixtures/binaries/CrashExample`: the report resolves with its dSYM alone.
    /// Many systems cut the header line off: a mail, a ticket. The body has every part of a report.
    @Test(arguments: ["CrashExample-bad-access/bad-access", "CrashExample-exception/exception"])
    func `an .ips without its header line is read`(name: String) throws {
        let path = "logs/apple-ips/\(name).ips"
        try withTemporaryFolder { folder in
            let body = try String(decoding: readFile(TestPaths.fixture(path)), as: UTF8.self).split(separator: "\n").dropFirst()
            try writeFile(folder + "/body.ips", Array(body.joined(separator: "\n").utf8))
            let options = ["--format", "json", "-q", "-s", "binaries/CrashExample/out"]
            let whole = try #require(jsonLogs(cairn([path] + options)).first)
            let cut = try #require(jsonLogs(cairn([folder + "/body.ips"] + options)).first)
            #expect(
                cut.threads.flatMap(\.frames).map(\.functions?.first?.name) == whole.threads.flatMap(\.frames).map(\.functions?.first?.name)
            )
            #expect(cut.threads.flatMap(\.frames).count == whole.threads.flatMap(\.frames).count)
        }
    }

    /// A reader of the pipe may have expected a report; a user who chose a format has the output they wanted.
    @Test func `a note about JSON in a pipe is printed once`() throws {
        let log = "logs/apple-ips/CrashExample-bad-access/bad-access.ips"
        let symbols = ["-s", "binaries/CrashExample/out"]
        let note = "cairn: note: \(log): JSON, as the log. For a report: --format text"
        func errors(_ arguments: [String]) throws -> [Substring] {
            try run(
                "sh", ["-c", "cd \"$0\" && \"$@\" | cat > /dev/null", TestPaths.fixture(""), TestPaths.cairn] + arguments + symbols
            ).errors.split(separator: "\n")
        }
        #expect(try errors([log, log]).count { $0 == note } == 1)
        for silent in [
            [log, "-q"], [log, "--format", "same"], [log, "--format", "json"],
            ["logs/apple-crash/CrashExample-bad-access/bad-access.crash"],
        ] {
            #expect(!(try errors(silent).contains { $0.contains("JSON") }))
        }
        try withTemporaryFolder { folder in
            let file = try run("sh", ["-c", "cd '\(TestPaths.fixture(""))' && '\(TestPaths.cairn)' \(log) > '\(folder)/out'"])
            #expect(!file.errors.contains("JSON"))
        }
    }

    @Test func `a symbol file among the logs is used as one`() throws {
        let (log, dSYM) = ("logs/apple-ips/CrashExample-exception/exception.ips", "binaries/CrashExample/out/CrashExample.dSYM")
        let named = try cairn(log, "-s", dSYM, "--format", "text", "--no-local")
        let among = try cairn(dSYM, log, "--format", "text", "--no-local")
        #expect(among.status == 0 && among.output == named.output && named.output.contains("performTransition"), "\(among.errors)")
        #expect(among.errors.contains("cairn: note: \(dSYM): used as a symbol file, as with --symbols\n"), "\(among.errors)")
        #expect(try cairn(log, dSYM, "--format", "text", "--no-local", "-q").errors.isEmpty)
        // Alone it is no log.
        let alone = try cairn(dSYM)
        #expect(alone.status != 0 && alone.output.isEmpty, "\(alone.output)")
    }

    @Test(arguments: ["version", "-V", "--version"]) func `the version has three names`(name: String) throws {
        let result = try cairn(name)
        #expect(result.status == 0 && result.output == "cairn 0.1.0\n", "\(result.output)\(result.errors)")
    }
}

/// Commands that compress.
enum LogTools {
    static let zlib = "python3 -c 'import sys, zlib; sys.stdout.buffer.write(zlib.compress(sys.stdin.buffer.read()))'"
}
