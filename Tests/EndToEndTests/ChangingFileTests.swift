#if os(Linux)
    import Foundation
    import TestSupport
    import Testing

    /// Symbol files that are cut short or written to while they are read: the result is a reason,
    /// and nothing crashes.
    struct ChangingFileTests {
        static let program = "binaries/CXX/out/cxx-clang-dwarf5-O0"
        /// In `Stairs<0>::climb(int)`.
        static let address = "0x1180"

        /// A tool that cairn replaces, and what it writes of an address that nothing is
        /// known of (`$F`: the file's name).
        struct Tool: Sendable, CustomTestStringConvertible {
            var arguments: [String]
            var unknown: [String]
            var testDescription: String { arguments[0] }
        }

        static let tools = [
            Tool(arguments: ["addr2line", "-f", "-e"], unknown: ["??", "??:0"]),
            Tool(arguments: ["eu-addr2line", "-f", "-e"], unknown: ["??", "??:0"]),
            Tool(arguments: ["llvm-symbolizer", "-e"], unknown: ["??", "??:0:0", ""]),
            Tool(arguments: ["atos", "-o"], unknown: ["0x0000000000001180 (in image)"]),
        ]

        /// Changes of the file, as a shell's commands.
        static let changes = ["truncate -s 0", "truncate -s 4096", "dd if=/dev/zero conv=notrunc status=none count=8 of="]
        /// Changes that leave an object file, of which less is known, or nothing less.
        static let harmlessChanges = ["truncate -s 20000", "truncate -s +1"]

        private func change(_ path: String, by command: String) throws {
            // Longer than the step of the clock that file systems take their times from.
            let script = "sleep 0.03; " + (command.hasSuffix("=") ? command + "\"$1\"" : command + " \"$1\"")
            try run("sh", ["-c", script, "sh", path]).requireSuccess()
        }

        private func withCopy(of file: String, _ body: (_ path: String, _ folder: String) throws -> Void) throws {
            try withTemporaryFolder { folder in
                try writeFile(folder + "/image", try readFile(TestPaths.fixture(file)))
                try body(folder + "/image", folder)
            }
        }

        @Test(arguments: tools, changes)
        func `who asks address after address hears it once, and gets no answer that is not`(tool: Tool, change: String) throws {
            try withCopy(of: Self.program) { path, folder in
                let environment = ["CAIRN_CACHE": folder + "/cache"]
                let whole = try cairn(tool.arguments + [path, Self.address], environment: ["CAIRN_CACHE": folder + "/cache"])
                #expect(whole.output.contains("climb") && whole.lines.count == tool.unknown.count)
                let tool2 = try RunningCairn(tool.arguments + [path], environment: environment)
                tool2.send(Self.address)
                #expect(whole.lines.map { _ in tool2.line() } == whole.lines)
                try self.change(path, by: change)
                for _ in 0..<2 {
                    tool2.send(Self.address)
                    #expect(tool.unknown.map { _ in tool2.line() } == tool.unknown)
                }
                let result = tool2.finish()
                #expect(result.status == 1 && result.output.isEmpty)
                #expect(result.errors == "cairn: error: \(path): it changed while it was read\n")
            }
        }

        /// The peer is a run that begins after the change.
        @Test(arguments: tools, harmlessChanges)
        func `a file that is still an object file is opened anew`(tool: Tool, change: String) throws {
            try withCopy(of: Self.program) { path, folder in
                let environment = ["CAIRN_CACHE": folder + "/cache"]
                let asked = try RunningCairn(tool.arguments + [path], environment: environment)
                asked.send(Self.address)
                for _ in tool.unknown { #expect(asked.line() != nil) }
                try self.change(path, by: change)
                let fresh = try cairn(tool.arguments + [path, Self.address], environment: ["CAIRN_CACHE": folder + "/cache"])
                for _ in 0..<2 {
                    asked.send(Self.address)
                    #expect(tool.unknown.map { _ in asked.line() } == fresh.lines)
                }
                let result = asked.finish()
                #expect(result.status == fresh.status && result.output.isEmpty)
                #expect(Set(result.errors.split(separator: "\n")) == Set(fresh.errors.split(separator: "\n")))
            }
        }

        /// The file itself is what it was, and says the same.
        @Test func `an index that is cut short is not believed, and the file answers`() throws {
            try withCopy(of: Self.program) { path, folder in
                let environment = ["CAIRN_CACHE": folder + "/cache"]
                try cairn(["index", path], environment: ["CAIRN_CACHE": folder + "/cache"]).requireSuccess()
                let index = try #require(TestPaths.files(under: folder + "/cache/indexes").first)
                let whole = try cairn("llvm-symbolizer", "-e", path, Self.address).lines
                let tool = try RunningCairn(["llvm-symbolizer", "-e", path], environment: environment)
                tool.send("0x1190")
                for _ in whole { _ = tool.line() }
                try cutFile(index, to: 0)
                tool.send(Self.address)
                #expect(whole.map { _ in tool.line() } == whole)
                let result = tool.finish()
                #expect(result.status == 0 && result.errors.isEmpty)
            }
        }

        private static let mach = "binaries/CrashExample/out/CrashExample"
        private static let answer = "-[CrashExampleAppDelegate performTransition] + 69 (CrashExampleAppDelegate.m:94)"

        @Test func `a live stream passes unanswered from then on`() throws {
            try withCopy(of: Self.mach + ".dSYM/Contents/Resources/DWARF/CrashExample") { path, _ in
                let filter = try RunningCairn(["filter", "--symbols", path])
                for line in ["Stack: (", "    6805,", ")", "more"] { filter.send(line) }
                #expect((0..<4).map { _ in filter.line() } == ["Stack: (", "    6805,  " + Self.answer, ")", "more"])
                try change(path, by: "truncate -s 0")
                for line in ["Stack: (", "    6805,", ")", "more"] { filter.send(line) }
                #expect((0..<4).map { _ in filter.line() } == ["Stack: (", "    6805,", ")", "more"])
                #expect(filter.finish().status == 0)
            }
        }

        /// Two builds of a program without a build ID, alike but for a function's name; the address that a call in that function returns to.
        private func makeBuilds(in folder: String) throws -> String {
            for name in ["old_build", "new_build"] {
                let source = """
                    __attribute__((noinline)) int inner(int *p) { return *p; }
                    __attribute__((noinline)) int \(name)(int *p) { return inner(p) + 1; }
                    int main(void) { return \(name)(0); }

                    """
                try writeFile(folder + "/program.c", Array(source.utf8))
                try run("gcc", ["-g", "-O0", "-Wl,--build-id=none", "-o", name, "program.c"], directory: folder).requireSuccess()
            }
            let code = try run("objdump", ["--disassemble=old_build", "--no-show-raw-insn", folder + "/old_build"]).lines
            let call = try #require(code.firstIndex { $0.contains("call") && $0.contains("<inner>") })
            let next = code[call + 1].prefix { $0 != ":" }
            return String(next.drop { $0 == " " })
        }

        /// Results come from the build that is at the path when the trace is printed.
        @Test(arguments: [
            "mv new_build app", "cp new_build app", "rm app; cp new_build app", "ln -f new_build app",
            "cp -p new_build app; touch -r old_build app",
        ])
        func `a program that is rebuilt below a live stream has the names of the build that is there`(change: String) throws {
            try withTemporaryFolder { folder in
                let address = try makeBuilds(in: folder)
                _ = try run("cp", ["-p", folder + "/old_build", folder + "/app"])
                let filter = try RunningCairn(["filter", "--symbols", folder + "/app"])
                func shown() -> String {
                    for line in ["Stack trace:", "./app(+0x\(address)) [0x55555555\(address)]", "end"] { filter.send(line) }
                    return (0..<3).map { _ in filter.line() ?? "" }.joined(separator: "\n")
                }
                let before = shown()
                #expect(before.contains(" old_build at ") && !before.contains("new_build"), "\(before)")
                try run("sh", ["-c", "sleep 0.03; " + change], directory: folder).requireSuccess()
                let after = shown()
                #expect(after.contains(" new_build at ") && !after.contains("old_build"), "\(after)")
                #expect(filter.finish().status == 0)
            }
        }

        @Test(arguments: [true, false]) func `a trace that was printed before a program was built has none of its lines`(isKnown: Bool)
            throws
        {
            try withTemporaryFolder { folder in
                let address = try makeBuilds(in: folder)
                _ = try run("cp", [folder + "/old_build", folder + "/app"])
                let filter = try RunningCairn(["filter", "--symbols", folder + "/app"])
                let row = "./app(+0x\(address)) [0x55555555\(address)]"
                if isKnown {
                    for line in ["Stack trace:", row, "end"] { filter.send(line) }
                    #expect((0..<3).map { _ in filter.line() ?? "" }[1].contains(" old_build at "))
                }
                // Built later than whatever is printed from now on: an hour, so that no machine is too slow for it.
                try run("sh", ["-c", "cp new_build app && touch -d '1 hour' app"], directory: folder).requireSuccess()
                for line in ["Stack trace:", row, row, "end"] { filter.send(line) }
                #expect(filter.line() == "Stack trace:")
                let rows = (0..<3).map { _ in filter.line() ?? "" }
                // Without an earlier version at the path, call sites that match are accepted.
                let name = isKnown ? row : " new_build at "
                #expect(rows[0].contains(name) && rows[1].contains(name) && rows[2] == "end", "\(rows)")
                #expect(filter.finish().status == 0)
            }
        }

        /// The second log comes through a pipe, whose writer waits until the file has changed.
        @Test func `the logs behind it say why they are not answered`() throws {
            try withCopy(of: Self.mach + ".dSYM/Contents/Resources/DWARF/CrashExample") { path, folder in
                let log = Array("Stack: (\n    6805,\n)\n".utf8)
                try writeFile(folder + "/first", log)
                try makePipe(folder + "/second")
                let run = try RunningCairn(
                    ["symbolicate", folder + "/first", folder + "/second", "--symbols", path, "--format", "json", "--no-index"])
                // It opens the pipe when the first log is done with.
                let writer = try #require(FileHandle(forWritingAtPath: folder + "/second"))
                try change(path, by: "truncate -s 8192")
                writer.write(Data(log))
                try writer.close()
                let logs = try jsonLogs(run.finish())
                let frames = logs.compactMap { $0.frames(ofThread: "0")?.first ?? $0.exceptionBacktrace?.frames.first }
                try #require(frames.count == 2)
                #expect(frames[0].functions?.first?.name == "-[CrashExampleAppDelegate performTransition]")
                #expect(
                    frames[1].functions == nil
                        && frames[1].reason == "the log has no module list, and no given symbol file has code at this address")
                #expect(logs[1].notes?.contains { $0.hasPrefix(path + ": ") } == true, "\(logs[1].notes ?? [])")
            }
        }

        @Test(arguments: ["sections", "units", "lines"])
        func `a dump says that it was made of a file that changed`(phase: String) throws {
            try withCopy(of: Self.program) { path, _ in
                let run = try RunningCairn(
                    ["dwarfdump", "--debug-info", "--debug-line", path], environment: ["CAIRN_DWARFDUMP_STOP_AT": phase],
                    shell: "exec >/dev/null")
                let worker = try run.stoppedChild()
                try change(path, by: "truncate -s 0")
                kill(worker, SIGCONT)
                let result = run.finish()
                #expect(result.status == 1)
                #expect(
                    result.errors.split(separator: "\n").last == "cairn: error: \(path): it changed while it was read",
                    "\(result.errors)")
            }
        }

        @Test(arguments: ["sections", "units", "lines", "answering", "comparing"])
        func `readers are not compared over a file that changed`(phase: String) throws {
            try withCopy(of: Self.program) { path, _ in
                let run = try RunningCairn(["verify", path], environment: ["CAIRN_DWARFDUMP_STOP_AT": phase])
                let worker = try run.stoppedChild()
                try change(path, by: "truncate -s 4096")
                kill(worker, SIGCONT)
                let result = run.finish()
                #expect(result.status == 1 && result.output.isEmpty)
                // libdwarf may not survive it.
                let problems = [
                    "the readers could not be compared: it changed while it was read",
                    "it changed while it was read: the readers could not be compared",
                ]
                #expect(problems.contains { result.errors == "cairn: error: \(path): \($0)\n" }, "\(result.errors)")
            }
        }

        /// A folder that is watched: the second log comes when the file has changed.
        @Test func `a batch goes on, and what it cannot answer is unanswered`() throws {
            try withCopy(of: Self.mach + ".dSYM/Contents/Resources/DWARF/CrashExample") { path, folder in
                try makeFolders(folder + "/logs")
                func add(_ name: String, _ address: Int) throws {
                    // Older than what is still being written.
                    let script =
                        "printf 'Stack: (\\n    %d,\\n)\\n' \"$2\" > \"$1.new\" && touch -d '1 minute ago' \"$1.new\" && mv \"$1.new\" \"$1\""
                    try run("sh", ["-c", script, "sh", folder + "/" + name, String(address)]).requireSuccess()
                    try run("mv", [folder + "/" + name, folder + "/logs/" + name]).requireSuccess()
                }
                try add("first.log", 6805)
                let batch = try RunningCairn([
                    "batch", folder + "/logs", "--watch", "--store", folder + "/store", "--symbols", path, "--no-index",
                ])
                /// The end of a pass: the line that begins so.
                func line(_ beginning: String) -> Substring? {
                    while let line = batch.line() { if line.hasPrefix(beginning) { return line.split(separator: ":").first } }
                    return nil
                }
                #expect(line("1 report of 1 crash log") != nil)
                try change(path, by: "truncate -s 8192")
                try add("second.log", 6801)
                #expect(line("1 of ") == "1 of 2 different frames has no name")
                kill(batch.number, SIGTERM)
                #expect(batch.finish().errors.isEmpty)
            }
        }

        /// The command's own program goes while cairn waits for its end.
        @Test func `a command that removes what it is made of ends as it ends`() throws {
            try withCopy(of: Self.mach + ".dSYM/Contents/Resources/DWARF/CrashExample") { path, folder in
                let script = "printf 'Stack: (\\n    6805,\\n)\\n'; sleep 0.1; : > \"$1\"; exit 7"
                let result = try cairn("ci", "--symbols", path, "--", "sh", "-c", script, "sh", path)
                #expect(result.status == 7, "\(result.errors)")
            }
        }
    }
#endif
