import TestSupport
import Testing

/// Names from untrusted programs, logs and folders, through every command as it is run: into pipes,
/// where lines are lines, and onto terminals, which they must not control.
struct HostileOutputTests {
    /// One program, one log of each kind, and a tree are enough for all; making them takes a
    /// second.
    @Test func `commands that write for people`() throws {
        try HostileScene.with { scene in
            let logs = [scene.sanitizerLog] + TestPaths.files(under: scene.appleLogs).sorted()
            let symbols = ["--symbols", scene.program, "--symbols", scene.tree]
            let treeFiles = try scene.treeFiles()
            var commands: [[String]] = [
                ["symbolicate", "--format", "text"] + symbols + logs, ["symbolicate", "--format", "json"] + symbols + logs,
                ["symbolicate", "--format", "markdown"] + symbols + logs, ["symbolicate", "--format", "sarif"] + symbols + logs,
                ["symbolicate", "--format", "junit"] + symbols + logs,
                ["explain"] + symbols + logs, ["explain", "--format", "json"] + symbols + logs, ["formats"] + logs,
                ["inspect", scene.program] + treeFiles, ["symbols", "list", scene.tree],
                ["symbols", "list", "--format", "json", scene.tree],
                ["symbols", "add", scene.tree, "--to", scene.folder + "/store"], ["symbols", "list", scene.folder + "/store"],
                ["index", scene.program, "--index-cache", scene.folder + "/cache"],
                ["index", "--list", "--index-cache", scene.folder + "/cache"],
                ["index", "--gsym", scene.program, "-o", scene.folder + "/x.gsym"],
                ["index", "--verify", scene.program, "--index-cache", scene.folder + "/cache"],
                ["info", "symbol", "-o", scene.program] + scene.functions.map(\.address),
                ["info", "line", "-o", scene.program] + scene.functions.map(\.address),
                ["batch", scene.appleLogs, scene.sanitizerLog, scene.tree, "--store", scene.folder + "/crashes.sqlite"] + symbols,
            ]
            if try run(TestPaths.cairn, ["verify", "--help"]).status == 0 { commands.append(["verify", scene.program]) }
            for (command, shown) in zip(commands, try scene.runOnTerminal(TestPaths.cairn, commands)) { try check(command, shown) }
        }
    }

    /// - Parameters:
    ///   - command: without the program.
    ///   - shown: what a terminal got of it before.
    private func check(_ command: [String], _ shown: (status: Int32, shown: [UInt8])) throws {
        let label = command.prefix(4).joined(separator: " ")
        let piped = try run(TestPaths.cairn, command)
        #expect(piped.status < 100, "\(label): \(piped.errors.suffix(300))")
        #expect(!piped.standardOutput.isEmpty || !piped.standardError.isEmpty, "\(label)")
        for output in [piped.standardOutput, piped.standardError] {
            #expect(ShownText(output).commands.prefix(3) == [], "\(label)")
            #expect(ShownText(output).serviceCommands.prefix(3) == [], "\(label)")
        }
        // An error is a line of its own.
        let lines = piped.errors.split(separator: "\n")
        #expect(lines.allSatisfy { $0.hasPrefix("cairn: ") }, "\(label): \(lines.first { !$0.hasPrefix("cairn: ") } ?? "")")
        #expect(shown.status == piped.status, "\(label)")
        #expect(withoutProgress(shown.shown).prefix(3) == [], "\(label)")
    }

    /// Commands to a terminal beside colours and the line of progress (`\r` and `ESC [ K`), which
    /// is ours.
    private func withoutProgress(_ bytes: [UInt8]) -> [String] {
        let erase = Array("\r\u{1b}[K".utf8)
        var rest: [UInt8] = []
        for byte in bytes {
            rest.append(byte)
            if rest.suffix(erase.count) == erase[...] { rest.removeLast(erase.count) }
        }
        return ShownText(rest, allowsColors: true).commands
    }

    /// The log's own bytes are the user's, in a pipe to the last one; what is added is text, and a
    /// terminal gets both without commands.
    @Test func `the answered log`() throws {
        try HostileScene.with { scene in
            let symbols = ["--symbols", scene.program]
            for command in [["symbolicate"], ["filter"]] {
                let input = command == ["filter"] ? try readFile(scene.sanitizerLog) : []
                let result = try run(TestPaths.cairn, command + symbols + (input.isEmpty ? [scene.sanitizerLog] : []), input: input)
                #expect(ShownText(result.standardOutput).commands.prefix(3) == [])
                #expect(ShownText(result.standardOutput).serviceCommands.prefix(3) == [])
                // Every row is resolved, to one row.
                #expect(result.lines.count { $0.contains(" in ") } == scene.functions.count)
                #expect(result.lines.count == (try readFile(scene.sanitizerLog)).count { $0 == 0x0A })
            }
            for path in TestPaths.files(under: scene.appleLogs) {
                let log = try readFile(path)
                #expect(try run(TestPaths.cairn, ["symbolicate", path]).standardOutput == log)
            }
            let colored = scene.folder + "/colored.log"
            try writeFile(
                colored, Array("\u{1b}[31mred\u{1b}[0m \u{1b}]52;c;eA==\u{7}\u{9b}2J\n".utf8) + (try readFile(scene.sanitizerLog)))
            let shown = try scene.runOnTerminal(TestPaths.cairn, ["symbolicate", "--quiet", colored] + symbols)
            #expect(shown.status == 0)
            #expect(ShownText(shown.shown, allowsColors: true).commands == [])
            #expect(shown.shown.starts(with: Array("\u{1b}[31mred\u{1b}[0m \\u{1b}]52;c;eA==\\u{7}\\u{9b}2J\r\n".utf8)))
        }
    }

    /// Callers of the tools that cairn replaces get the bytes of the original; people at a
    /// terminal get text.
    @Test func `the tools in whose place cairn answers`() throws {
        try HostileScene.with { scene in
            let addresses = scene.functions.map(\.address)
            let tools: [(name: String, arguments: [String])] = [
                ("addr2line", ["-e", scene.program, "-f"]), ("addr2line", ["-e", scene.program, "-f", "-i", "-p", "-a"]),
                ("eu-addr2line", ["-e", scene.program, "-f"]), ("llvm-symbolizer", ["-e", scene.program]),
                ("llvm-symbolizer", ["-e", scene.program, "--output-style=GNU"]),
                ("atos", ["-o", scene.program]), ("llvm-addr2line", ["-e", scene.program, "-f"]),
            ]
            let commands = tools.map { [$0.name] + $0.arguments + addresses }
            for (tool, shown) in zip(tools, try scene.runOnTerminal(TestPaths.cairn, commands)) {
                let piped = try run(TestPaths.cairn, [tool.name] + tool.arguments + addresses)
                #expect(piped.status == 0, "\(tool)")
                for function in scene.functions where tool.name != "atos" || String(validating: function.name, as: UTF8.self) != nil {
                    guard String(validating: function.name, as: UTF8.self) != nil else { continue }
                    #expect(piped.standardOutput.firstRange(of: function.name) != nil, "\(tool.name): \(function.name)")
                }
                #expect(ShownText(shown.shown).commands.prefix(3) == [], "\(tool)")
            }
            // A path that begins with a backslash is Windows' and whole to cairn, and the name of a
            // file to GNU.
            let readable = scene.functions.filter {
                $0.name.first != UInt8(ascii: "\\") && String(validating: $0.name, as: UTF8.self) != nil
            }
            .map(\.address)
            let theirs = try run("/usr/bin/addr2line", ["-e", scene.program, "-f"] + readable)
            if theirs.status == 0 {
                #expect(
                    try run(TestPaths.cairn, ["addr2line", "-e", scene.program, "-f"] + readable).standardOutput == theirs.standardOutput)
            }
        }
    }

    private static let errors: [[String]] = [
        ["symbolicate"], ["explain"], ["formats"], ["inspect"], ["index"], ["symbols", "list"], ["symbols", "add", "--to", "/tmp/none"],
        ["batch", "--store", "/dev/null/x"],
        ["info", "symbol", "0x10", "-o"], ["atos", "0x10", "-o"], ["addr2line", "0x10", "-e"], ["eu-addr2line", "0x10", "-e"],
        ["llvm-symbolizer", "0x10", "-e"], ["dwarfdump"], ["verify"],
        ["ci", "--event-stream"], ["anonymize"], ["symbolicate", "a.log", "--symbols"], ["symbolicate", "a.log", "--source-root"],
        ["symbolicate", "--format"], ["batch", "lists"],
        ["batch", "show"], ["no-such-command"], ["symbolicate", "--no-such"], ["symbolicate", "a.log", "--image"],
        ["symbolicate", "a.log", "-o"], ["batch", "top", "--store"],
    ]

    /// A name that the user mistypes, or that a script takes from a folder, is reported in one line
    /// by every command.
    @Test(arguments: errors)
    func `errors are lines`(command: [String]) throws {
        let isTool = ["addr2line", "eu-addr2line", "llvm-symbolizer", "atos"].contains(command[0])
        try withTemporaryFolder { folder in
            let scene = HostileScene(folder: folder, functions: [])
            // Each command meets other texts than the next command.
            let all = Hostile.texts.filter { !$0.utf8.contains(0) && $0.utf8.count < 100 }
            let texts = Repeats.sample(1, of: all, for: command.joined(separator: " "))
            for text in texts {
                for name in [text, folder + "/" + text] {
                    var arguments = command + [name]
                    if command[0] == "no-such-command" { arguments = [name] }
                    if command[0] == "ci" { arguments += ["--", "true"] }
                    let result = try run(TestPaths.cairn, arguments, directory: folder)
                    #expect(result.status < 100, "\(arguments), \(Repeats.hint)")
                    if !isTool {
                        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
                        #expect(
                            lines.last == "" && lines.dropLast().allSatisfy { $0.hasPrefix("cairn: ") }, "\(arguments): \(result.errors)")
                        #expect(ShownText(result.standardError).commands == [], "\(arguments)")
                        #expect(ShownText(result.standardError).serviceCommands == [], "\(arguments)")
                        #expect(ShownText(result.standardOutput).commands == [], "\(arguments)")
                    }
                }
            }
            let shown = try scene.runOnTerminal(TestPaths.cairn, texts.map { command + [folder + "/" + $0] })
            for (text, shown) in zip(texts, shown) {
                #expect(withoutProgress(shown.shown) == [], "\(command) \(text.debugDescription)")
            }
        }
    }
}
