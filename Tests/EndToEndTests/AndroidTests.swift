import TestSupport
import Testing

/// Logs whose rows give places by other means than addresses, against the results of
/// llvm-symbolizer for those places (`expected-rows.tsv` beside them): functions, inlined calls,
/// files, lines, columns.
struct AndroidTests {
    static let logs: [String] = {
        let found = try? run("find", ["logs", "-name", "expected-rows.tsv"], directory: TestPaths.fixture(""))
        return (found?.lines ?? []).sorted().flatMap { table -> [String] in
            let folder = String(table.dropLast("/expected-rows.tsv".count))
            let names = (try? run("ls", [folder], directory: TestPaths.fixture("")).lines) ?? []
            return names.filter { !$0.hasPrefix("expected") }.map { folder + "/" + $0 }
        }
    }()

    @Test func `the logs are there`() { #expect(Self.logs.count >= 15) }

    @Test(arguments: logs) func `frames are answered as expected`(log: String) throws {
        let result = try cairn("symbolicate", log, "--symbols", "binaries", "--format", "json", "--quiet").requireSuccess()
        let report = try #require(try jsonLogs(result).first)
        let folder = log[..<(log.lastIndex(of: "/") ?? log.endIndex)]
        let expected = Dictionary(grouping: try table(TestPaths.fixture("\(folder)/expected-rows.tsv"))) {
            "\($0["thread"] ?? "") \($0["frame"] ?? "")"
        }
        #expect(expected.count == 3)
        for (_, rows) in expected {
            let frames = try #require(report.frames(ofThread: rows[0]["thread"] ?? ""))
            let frame = try #require(frames.first { String($0.index) == rows[0]["frame"] && $0.inlined != true })
            #expect(frame.functions?.map { $0.mangledName ?? $0.name } == rows.map { $0["linkage_name"] ?? "" }, "\(frame.reason ?? "")")
            #expect(frame.functions?.map(\.name) == rows.map { $0["function"] ?? "" })
            #expect(frame.functions?.map { $0.file ?? "" } == rows.map { $0["file"] ?? "" })
            #expect(frame.functions?.map { String($0.line ?? 0) } == rows.map { $0["line"] ?? "" })
            #expect(frame.functions?.map { String($0.column ?? 0) } == rows.map { $0["column"] ?? "" })
        }
    }

    private let arm64 = "logs/android-tombstone/libshop-arm64"
    private let out = "binaries/Android/out/arm64-v8a"

    /// Android 11 and later print link addresses, for which a debug file is enough. Android 10
    /// counts otherwise where code is linked elsewhere than its offset, which only the library's
    /// own program headers give.
    @Test func `what Android 10 prints needs the library itself`() throws {
        let debug = "\(out)/libshop.so.debug"
        #expect(try cairn("\(arm64)/tombstone-13.txt", "--symbols", debug, "-q").output.contains("(shop::serve(Shelf const&, int)+60)"))
        let alone = try cairn("\(arm64)/tombstone-10.txt", "--symbols", debug, "--format", "text", "-q")
        #expect(alone.output.contains("no code in the symbol file has this file offset") && !alone.output.contains("shop::serve"))
        let both = try cairn("\(arm64)/tombstone-10.txt", "--symbols", "\(out)/libshop.so", "--symbols", debug, "-q")
        #expect(both.output.contains("(shop::serve(Shelf const&, int)+60)"))
    }

    /// The same crash, reported by five releases and tools: the results are the same.
    @Test func `every release's log gets the same answers`() throws {
        func lookUp(_ log: String) throws -> [[String]] {
            let report = try #require(try jsonLogs(try cairn("\(arm64)/\(log)", "--symbols", out, "--format", "json", "-q")).first)
            return report.threads[0].frames.prefix(3).map {
                $0.functions?.map { "\($0.name) \($0.offset ?? 0) \($0.file ?? ""):\($0.line ?? 0)" } ?? []
            }
        }
        let first = try lookUp("tombstone-13.txt")
        #expect(first.map(\.count) == [2, 1, 1])
        for log in ["tombstone-10.txt", "tombstone-8.txt", "logcat-13.txt", "studio-13.txt", "play-console.txt", "tombstone-13-crlf.txt"] {
            #expect(try lookUp(log) == first, "\(log)")
        }
    }

    /// Writing names into the log keeps every other byte, line endings and prefixes included; a
    /// second time changes nothing.
    @Test(arguments: ["tombstone-13.txt", "tombstone-13-crlf.txt", "tombstone-8.txt", "logcat-13.txt", "studio-13.txt"])
    func `answers are added and nothing is lost`(log: String) throws {
        let original = String(decoding: try readFile(TestPaths.fixture("\(arm64)/\(log)")), as: UTF8.self)
        let answered = try cairn("\(arm64)/\(log)", "--symbols", out, "-q").output
        func lines(_ text: String) -> [String] {
            text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
        }
        // Rows of the library have names now, and lines below them.
        let kept = lines(answered).filter { !$0.contains("/src/") }.map { line in
            line.replacing(" (shop::sell(Shelf const&, int)+8)", with: "").replacing(" (shop::serve(Shelf const&, int)+60)", with: "")
        }
        #expect(kept == lines(original) && answered.contains("\r\n") == original.contains("\r\n"))
        #expect(lines(answered).filter { $0.contains("/src/") }.count >= 4)
        let again = try cairn(["-", "--symbols", out, "-q"], input: answered)
        #expect(again.output == answered)
    }

    @Test func `a microdump's instruction is answered in text alone, by the sixteen bytes of its build ID`() throws {
        let log = "logs/microdump/libshop-arm64/microdump.txt"
        let text = try cairn(log, "--symbols", "binaries", "--format", "text", "-q").output
        #expect(text.contains("shop::sell(Shelf const&, int) + 8 (/src/shop.cpp:12)") && text.contains("Shelf::take(int) const"))
        let same = try cairn(log, "--symbols", "binaries", "-q")
        #expect(same.standardOutput == (try readFile(TestPaths.fixture(log))) && same.errors.contains("microdump has no rows for symbols"))
    }

    /// The real producer, where it is installed as the project builds it (not position-independent,
    /// with its symbol table): cairn finds what dladdr found, and for the rest what llvm-symbolizer
    /// says of the byte before.
    @Test(.enabled(if: nodePath != nil, "Node is not installed, or is position-independent"))
    func `Node's own stack`() throws {
        let node = try #require(Self.nodePath)
        try withTemporaryFolder { folder in
            let ended = try run(node, ["-e", "process.abort()"], directory: folder)
            try writeFile(folder + "/node.log", Array(ended.errors.utf8))
            let report = try #require(try jsonLogs(try cairn(folder + "/node.log", "--symbols", node, "--format", "json", "-q")).first)
            #expect(report.format == "node-native" && report.threads[0].frames.count >= 3)
            for frame in report.threads[0].frames {
                let address = try #require(frame.address.flatMap { UInt64($0.dropFirst(2), radix: 16) })
                let symbol = try run(
                    "llvm-symbolizer",
                    ["-e", node, "--no-inlines", "--no-demangle", "--functions=linkage", "0x" + String(address - 1, radix: 16)])
                // LLVM names one symbol of several at an address; cairn may name another.
                let found = frame.functions?.last
                #expect((found?.mangledName ?? found?.name ?? "") == (symbol.lines.first ?? "-"))
            }
        }
    }

    static let nodePath: String? = {
        guard let node = try? run("which", ["node"]).lines.first, let header = try? run("readelf", ["-hS", node]),
            header.output.contains("EXEC (Executable file)"),
            header.output.contains(".symtab")
        else { return nil }
        return node
    }()
}
