import TestSupport
import Testing

/// `cairn llvm-symbolizer` beside LLVM 19's own, byte by byte.
@Suite(.enabled(if: Installed.has("llvm-symbolizer-19", "llvm-addr2line-19"), "LLVM 19's tools (package llvm-19) are not installed"))
struct LLVMSymbolizerTests {
    private static let objects = [
        "C/out/c-clang-dwarf5-O2", "C/out/c-gcc-dwarf4-O0", "CXX/out/cxx-gcc-dwarf5-O2", "CXX/out/cxx-clang-dwarf4-O2",
    ]
    private let peer = "llvm-symbolizer-19"
    private let object = TestPaths.fixture("binaries/C/out/c-clang-dwarf5-O2")

    private func ours(_ arguments: [String], input: String = "") throws -> RunResult {
        try runTool("llvm-symbolizer", arguments, input: input)
    }

    private func theirs(_ arguments: [String], input: String = "") throws -> RunResult {
        try run(peer, arguments, input: Array(input.utf8), environment: ["DEBUGINFOD_URLS": nil as String?])
    }

    private static let options: [[String]] = [
        [], ["-a"], ["-p"], ["-pa"], ["-s"], ["--no-inlines"], ["--inlining=false"], ["--functions=none"], ["-f=none", "-a"],
        ["--no-demangle"],
        ["-demangle=false"], ["--functions=linkage", "--demangle"], ["--basenames", "--addresses", "--pretty-print"],
        ["--output-style=LLVM"],
        ["--output-style=GNU"], ["--output-style=GNU", "--no-inlines", "-f"], ["--output-style=GNU", "-pai"], ["--verbose"],
        ["--output-style=JSON"], ["--functions=short"], ["--relativenames"], ["--print-source-context-lines=3"],
    ]
    private static let cases = options.flatMap { options in objects.map { (options, $0) } }

    @Test(arguments: Repeats.sample(12, of: cases, for: "llvm-symbolizer"))
    func `every option gives LLVM's answer`(options: [String], object: String) throws {
        let path = TestPaths.fixture("binaries/" + object)
        let addresses = try functionAddresses(path)
        try #require(addresses.count > 20)
        let input = addresses.joined(separator: "\n") + "\n"
        let expected = try theirs(options + ["--obj=" + path], input: input).output
        try #require(expected.contains("main"))
        // gcc's abbreviations hold files in a form that LLVM does not read.
        let strict = options.contains("--verbose") || options.contains("--output-style=JSON") ? ["--strict-compat"] : []
        #expect(try ours(options + strict + ["--obj=" + path], input: input).output == expected)
        let listed = options.contains("--output-style=JSON") ? try theirs(options + ["-e", path] + addresses).output : expected
        #expect(try ours(options + strict + ["-e", path] + addresses).output == listed)
    }

    @Test(arguments: [["--adjust-vma=0x10"], ["--adjust-vma", "16"], ["--adjust-vma=16", "-a"]])
    func `what is taken from each address is not shown`(options: [String]) throws {
        let moved = try functionAddresses(object).map { "0x" + String((UInt64($0.dropFirst(2), radix: 16) ?? 0) + 16, radix: 16) }
        let expected = try theirs(options + ["--obj=" + object] + moved)
        try #require(expected.output.contains("main"))
        #expect(try ours(options + ["--obj=" + object] + moved).output == expected.output)
    }

    @Test func `lines that are no questions are answered as LLVM answers them`() throws {
        let expected = try theirs(["-a", "--obj=" + object], input: hostileLines)
        let answered = try ours(["-a", "--obj=" + object], input: hostileLines)
        #expect(answered.output == expected.output)
        #expect(answered.errors == expected.errors.replacing(peer + ":", with: "llvm-symbolizer:"))
        #expect(answered.status == expected.status)
    }

    @Test func `a line may name its file, in quotes or not, with what is asked before it`() throws {
        let other = TestPaths.fixture("binaries/CXX/out/cxx-gcc-dwarf5-O2")
        let first = try #require(try functionAddresses(object).first)
        let second = try #require(try functionAddresses(other).first)
        let input = """
            CODE "\(object)" \(first)
            \(object) \(first) and more
            '\(other)' \(second)
            FILE:\(object) \(first)
            FILE: "\(other)" \(second)
            CODE FILE:\(object) \(first)
            FILE:FILE:\(object) \(first)
            FILE:
            \(object)
            "\(object)
            /nonexistent/file \(first)
            /nonexistent/file \(second)
            DATA "\(object)" 0x1
            FRAME "\(object)" 0x1
            \(object) main
            \(object) no_such_function
            """
        let expected = try theirs(["-a"], input: input)
        let answered = try ours(["-a"], input: input)
        #expect(answered.output == expected.output)
        // For a missing file that is named again and again, there is one message.
        let reported = expected.errors.replacing(peer + ":", with: "llvm-symbolizer:").split(separator: "\n")
        #expect(Set(answered.errors.split(separator: "\n")) == Set(reported))
    }

    @Test func `many lines are answered in their order`() throws {
        let addresses = try functionAddresses(object)
        // Every third is looked up anew each time; they do not come sorted.
        let lines = (0..<150_000).map { addresses[($0 &* 7919) % addresses.count] }
        let input = lines.joined(separator: "\n")
        let answered = try run(TestPaths.cairn, ["llvm-symbolizer", "-a", "--obj=" + object], input: Array(input.utf8)).output
        #expect(answered == (try theirs(["-a", "--obj=" + object], input: input).output))
    }

    /// A program that writes one line and waits for the response, as the sanitizers do.
    @Test(arguments: [["llvm-symbolizer", "--obj="], ["addr2line", "-afie", ""]])
    func `each line is answered before the next is asked, however much came before`(tool: [String]) throws {
        let addresses = try functionAddresses(object)
        let script = """
            coproc "$@"
            ask() { printf '%s\\n' "$1" >&${COPROC[1]}; read -t 20 line <&${COPROC[0]} && echo "$line" || { echo timeout; exit 1; }; }
            drain() { while read -t 0.3 line <&${COPROC[0]}; do :; done; }
            ask \(addresses[0]); drain
            printf '%s\\n' \(addresses.prefix(30).joined(separator: " ")) >&${COPROC[1]}; drain
            printf '%s' '\(addresses[3].prefix(3))' >&${COPROC[1]}
            ask '\(addresses[3].dropFirst(3))'
            """
        let command = [TestPaths.cairn] + (tool[0] == "addr2line" ? tool.dropLast() + [object] : [tool[0], tool[1] + object])
        let result = try run("bash", ["-c", script, "bash"] + command)
        #expect(result.status == 0)
        let single = { (address: String) in try run(command[0], Array(command.dropFirst()) + [address]).lines[0] }
        #expect(result.lines == [try single(addresses[0]), try single(addresses[3])])
    }

    @Test(arguments: [
        ("llvm-symbolizer", true), ("llvm-symbolizer-19", true), ("llvm-addr2line", false), ("llvm-addr2line-19", false),
    ])
    func `a link by the tool's name is the tool`(name: String, isSymbolizer: Bool) throws {
        try withTemporaryFolder { folder in
            try run("ln", ["-s", TestPaths.cairn, folder + "/" + name]).requireSuccess()
            let addresses = try functionAddresses(object)
            let plain = addresses.map { String($0.dropFirst(2)) }
            let arguments = ["-e", object] + (isSymbolizer ? addresses : plain)
            let expected = try run(isSymbolizer ? peer : "llvm-addr2line-19", arguments).output
            #expect(try run(folder + "/" + name, arguments).output == expected)
        }
    }

    /// In the tool's words, all of them reported.
    @Test(arguments: [["--no-such-option"], ["-Z"], ["-fZ"], ["-x", "--flag"], ["--inline"], ["-e"], ["--obj"], ["--build-id=xyz"]])
    func `an option that there is not is refused`(options: [String]) throws {
        let (answered, expected) = (try ours(options), try theirs(options))
        expectSame(answered, expected)
    }
}
