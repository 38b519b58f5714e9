import TestSupport
import Testing

/// Tools that wait for the next address while the file is rebuilt: the next result is of the file
/// as it is then, never of both.
@Suite(.enabled(if: CrashingProgram.isInstalled("gcc"), "gcc is not installed"))
struct RebuiltFilesTests {
    enum Change: String, CaseIterable, Sendable { case renamed, overwritten, deleted }

    struct Tool: Sendable, CustomTestStringConvertible {
        var arguments: [String]
        /// Puts the file before the address.
        var namesFile = false
        /// Lines of one result.
        var lines: Int
        var testDescription: String { arguments[0] + (namesFile ? ", the file in each line" : "") }
    }

    static let tools = [
        Tool(arguments: ["addr2line", "-f", "-s", "-e", "app"], lines: 2),
        Tool(arguments: ["eu-addr2line", "-f", "-s", "-e", "app"], lines: 2),
        Tool(arguments: ["llvm-symbolizer", "-s", "-e", "app"], lines: 3),
        Tool(arguments: ["llvm-symbolizer", "-s"], namesFile: true, lines: 3),
        Tool(arguments: ["atos", "-o", "app"], lines: 1),
    ]

    private static let source = "int first(int x) { return x + 1; }\nint main(int c, char **v) { return first(c); }\n"
    /// `first` on line 3, where it was before; `newer` in its place.
    private static let edited =
        "int newer(int x) { return x + 1; }\n\nint first(int x) { return x + 2; }\nint main(int c, char **v) { return first(newer(c)); }\n"

    private func build(_ source: String, _ name: String, in folder: String) throws {
        try writeFile(folder + "/app.c", Array(source.utf8))
        try run("gcc", ["-g", "-O0", "-no-pie", "-fno-pie", "-o", name, "app.c"], directory: folder).requireSuccess()
    }

    @Test(arguments: tools, Change.allCases) func `a file is rebuilt between two addresses`(tool: Tool, change: Change) throws {
        try withTemporaryFolder { folder in
            try build(Self.source, "app", in: folder)
            try build(Self.edited, "new", in: folder)
            let symbols = try run("nm", ["app"], directory: folder).output
            let address = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" first") }).prefix(16)
            // `newer` is now at the address of `first`: no code is in front of either.
            #expect(try run("nm", ["new"], directory: folder).output.contains(address + " T newer"))
            let app = folder + "/app"
            let arguments = tool.arguments.map { $0 == "app" ? app : $0 }
            let program = try StartedProgram([TestPaths.cairn] + arguments)
            func function() -> String {
                program.send((tool.namesFile ? app + " " : "") + "0x" + address)
                let lines = (0..<tool.lines).map { _ in program.line() ?? "" }
                return String(lines[0].prefix { $0 != " " })
            }
            #expect(function() == "first")
            try self.change(change, in: folder)
            #expect(function() == (change == .deleted ? "first" : "newer"))
            let end = program.finish()
            #expect(end.status == 0 && end.errors.isEmpty)
        }
    }

    /// Commands that get one log after another, without a build ID in them.
    enum Reader: String, CaseIterable, Sendable { case log, stream, serve }

    private func log(_ address: String) -> String {
        """
        ==7==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000 (pc 0x\(address) bp 0x000000000000 sp 0x000000000000 T0)
            #0 0x\(address)  (/opt/harbour/app+0x\(address))

        ==7==ABORTING

        """
    }

    /// Gives two logs to a command, the second when the first has its result and the file is another.
    private func results(_ reader: Reader, _ log: String, _ app: String, _ folder: String, rebuild: () throws -> Void) throws -> [String] {
        switch reader {
        case .log:
            try writeFile(folder + "/first.log", Array(log.utf8))
            try #require(run("mkfifo", [folder + "/second.log"]).status == 0)
            let program = try StartedProgram([
                TestPaths.cairn, "symbolicate", "-q", "--no-local", "-s", app, "--format", "json", folder + "/first.log",
                folder + "/second.log",
            ])
            let first = program.line() ?? ""
            try rebuild()
            try writeFile(folder + "/text", Array(log.utf8))
            try #require(run("sh", ["-c", "cat text >second.log"], directory: folder).status == 0)
            let second = program.line() ?? ""
            _ = program.finish()
            return [first, second]
        case .stream:
            let program = try StartedProgram([TestPaths.cairn, "stream", "-q", "-s", app])
            func ask() -> String {
                let text = log.replacing("\n", with: "\\n")
                program.send("{\"key\": 1, \"log\": \"\(text)\"}")
                return program.line() ?? ""
            }
            let first = ask()
            try rebuild()
            let second = ask()
            _ = program.finish()
            return [first, second]
        case .serve:
            let server = try RunningServer(["-s", app])
            func ask() throws -> String { try server.curl("/v1/logs?format=text", ["--data-binary", "@-"], input: Array(log.utf8)).text }
            let first = try ask()
            try rebuild()
            let second = try ask()
            return [first, second]
        }
    }

    @Test(arguments: Reader.allCases, Change.allCases) func `a program is rebuilt between two logs`(reader: Reader, change: Change) throws {
        try withTemporaryFolder { folder in
            try build(Self.source, "app", in: folder)
            try build(Self.edited, "new", in: folder)
            let symbols = try run("nm", ["app"], directory: folder).output
            let address = try #require(symbols.split(separator: "\n").first { $0.hasSuffix(" first") }).prefix(16).drop { $0 == "0" }
            let found = try results(reader, log(String(address)), folder + "/app", folder) { try self.change(change, in: folder) }
            #expect(found[0].contains("first") && !found[0].contains("newer"))
            #expect(found[1].contains("newer") == (change != .deleted) && !found[1].contains("first"))
        }
    }

    private func change(_ change: Change, in folder: String) throws {
        let command =
            switch change {
            case .renamed: ["mv", "new", "app"]
            case .overwritten: ["cp", "new", "app"]
            case .deleted: ["rm", "app"]
            }
        try #require(run(command[0], Array(command.dropFirst()), directory: folder).status == 0)
    }
}
