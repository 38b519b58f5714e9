import TestSupport
import Testing

/// Files of this machine that a log's own paths name: taken where nothing contradicts them,
/// refused, by name and with what to do, where something does.
@Suite(.enabled(if: CrashingProgram.isInstalled("gcc"), "gcc is not installed"))
struct LocalFilesTests {
    private let program = CrashingProgram("gcc", "-O2")
    private let name = "inlined"

    /// The functions that a report has for the program's frames.
    private func lookUp(_ report: JSONLog, image: String = "a") -> [String] {
        let images = report.images.indices.filter { report.images[$0].name == image || report.images[$0].name.hasSuffix("/" + image) }
        return report.threads.flatMap(\.frames).filter { $0.inlined != true && $0.image.map(images.contains) == true }.flatMap {
            $0.functions ?? []
        }
        .map(\.name)
    }

    /// Builds the program, of an hour ago, runs it, and leaves what it printed in `err`, of half an
    /// hour ago.
    private func withCrash(_ body: (_ folder: String, _ truth: MarkedStacks) throws -> Void) throws {
        let truth = try MarkedStacks(source: program.source)
        try withTemporaryFolder { folder in
            // Both programs are there before the log; libc is older by far.
            try program.build(in: folder)
            try writeFile(folder + "/err", try run("./a", ["-", name], directory: folder).standardError)
            try run("sh", ["-c", "touch -d '1 hour ago' a && touch -d '30 minutes ago' err"], directory: folder).requireSuccess()
            try body(folder, truth)
        }
    }

    /// The same program after somebody went on with it: lines and a function in front of all
    /// others, so that all code has moved.
    private func rebuild(in folder: String) throws {
        let text = String(decoding: try readFile(CrashingProgram.folder + program.source), as: UTF8.self)
        let more =
            "__attribute__((noinline)) int newer(int depth) { for (int i = 0; i < depth; i++) sink ^= sink * i + 77; return sink; }\n"
        let edited = text.replacing("volatile int sink;\n", with: "volatile int sink;\n\n" + more)
            .replacing("    if (argc < 3) return 64;", with: "    if (argc < 3) return newer(argc);")
        try #require(edited != text)
        try program.build(in: folder, edited: edited)
    }

    /// One line of what cairn says that names the program and has these words.
    private func saysOfTheProgram(_ text: String, _ phrases: String...) -> Bool {
        text.split(separator: "\n").contains { line in
            line.contains(#/(?:^|[ \/'"`])a(?:$|[ :,;.)'"`=])/#) && phrases.contains { line.lowercased().contains($0) }
        }
    }

    @Test func `the right file is used, and a note says how it was found`() throws {
        try withCrash { folder, truth in
            let report = try report("err", in: folder)
            let found = truth.own(report.threads[0].frames)
            #expect(found == truth.expected(name, like: found))
            let image = try #require(report.images.first { $0.name == "a" })
            #expect(image.symbols.path?.hasSuffix("/a") == true)
            #expect(
                report.notes?.contains { $0.contains("(found by path; not modified since the log was written)") } == true,
                "\(report.notes ?? [])")
        }
    }

    @Test func `a file that was rebuilt since is refused`() throws {
        try withCrash { folder, _ in
            try rebuild(in: folder)
            #expect(lookUp(try report("err", in: folder)) == [])
            let explained = try cairn(["explain", "err"], in: folder)
            #expect(saysOfTheProgram(explained.output, "newer", "changed", "rebuilt", "since", "later"), "\(explained.output)")
        }
    }

    /// Its date says nothing: as after a checkout, or `cp -p`. Its calls do.
    @Test func `a rebuilt file with an old date is refused by its calls`() throws {
        try withCrash { folder, _ in
            try rebuild(in: folder)
            try run("touch", ["-d", "1 hour ago", "a"], directory: folder).requireSuccess()
            let report = try report("err", in: folder)
            #expect(lookUp(report) == [])
            let explained = try cairn(["explain", "err"], in: folder)
            #expect(saysOfTheProgram(explained.output, "call"), "\(explained.output)")
        }
    }

    @Test func `a file that was touched is refused, with the remedy in one line`() throws {
        try withCrash { folder, truth in
            try run("touch", ["a"], directory: folder).requireSuccess()
            #expect(lookUp(try report("err", in: folder)) == [])
            let result = try cairn(["err"], in: folder)
            let remedies = result.errors.split(separator: "\n").filter { $0.contains("--symbols") || $0.contains("--image") }
            #expect(remedies.contains { $0.contains(#/--(symbols|image)[ =]\S*a\b/#) }, "\(result.errors)")
            // The remedy is one.
            let given = truth.own(try report("err", "--symbols", "a", in: folder).threads[0].frames)
            #expect(given == truth.expected(name, like: given))
        }
    }

    @Test func `--no-local leaves this machine's files alone`() throws {
        try withCrash { folder, truth in
            #expect(lookUp(try report("err", "--no-local", in: folder)) == [])
            let given = truth.own(try report("err", "--no-local", "--symbols", "a", in: folder).threads[0].frames)
            #expect(given == truth.expected(name, like: given))
        }
    }

    /// A name that exists here is no evidence where the log says that it is of elsewhere: another
    /// host, another machine's libraries, a container whose other paths are not here.
    @Test(arguments: ["another host", "another architecture", "a container"]) func `a log of elsewhere is not answered from here`(
        origin: String
    ) throws {
        try withCrash { folder, _ in
            let rows = String(decoding: try readFile(folder + "/err"), as: UTF8.self).split(separator: "\n").map(String.init)
            let text: String
            switch origin {
            case "another host":
                // As `journalctl` shows it.
                text = rows.map { "Jan 03 11:22:33 elsewhere-17 a[4242]: \($0)\n" }.joined()
            case "another architecture":
                text = rows.map { $0.replacing("x86_64-linux-gnu", with: "aarch64-linux-gnu") + "\n" }.joined()
            default:
                text = rows.map { $0.replacing("/lib/x86_64-linux-gnu/libc.so.6", with: "/layers/base-of-no-machine/lib/libc.so.6") + "\n" }
                    .joined()
            }
            try writeFile(folder + "/err", Array(text.utf8))
            let report = try report("err", in: folder)
            #expect(report.threads.flatMap(\.frames).count >= 6)
            #expect(
                report.threads.flatMap(\.frames).allSatisfy { ($0.functions ?? []).allSatisfy { $0.file == nil } }, "\(lookUp(report))")
        }
    }

    /// systemd's message says its host and the program's path.
    @Test func `a core of another host is not answered from here`() throws {
        try withCrash { folder, _ in
            let rows = String(decoding: try readFile(folder + "/err"), as: UTF8.self).matches(of: #/a\((\+0x[0-9a-f]+)\)\[0x([0-9a-f]+)\]/#)
            let stack = rows.enumerated().map {
                "                #\($0)  0x\(String(repeating: "0", count: 16 - $1.2.count))\($1.2) n/a (a \($1.1.replacing("+", with: "+ ")))\n"
            }
            let text = """
                           PID: 77 (a)
                        Signal: 11 (SEGV)
                     Timestamp: Mon 2024-01-01 00:00:00 UTC
                  Command Line: ./a
                    Executable: \(folder)/a
                      Hostname: elsewhere-17
                       Message: Process 77 (a) of user 0 dumped core.

                                Stack trace of thread 77:
                \(stack.joined())
                """
            try writeFile(folder + "/err", Array(text.utf8))
            let report = try report("err", in: folder)
            #expect(report.format == "systemd-coredump")
            #expect(report.threads.flatMap(\.frames).count == rows.count)
            #expect(lookUp(report) == [])
        }
    }
}
