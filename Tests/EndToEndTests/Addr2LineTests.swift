import TestSupport
import Testing

/// `cairn addr2line` beside GNU's (binutils), byte by byte, where both say the same: C without parts of functions that gcc split off, whose names GNU takes from the whole.
struct Addr2LineTests {
    private static let objects = ["c-clang-aranges", "c-clang-dwarf4-O0", "c-clang-dwarf5-O2", "c-gcc-dwarf2-O1", "c-gcc-dwarf4-O0"]
    private let object = TestPaths.fixture("binaries/C/out/c-clang-dwarf5-O2")

    private func ours(_ arguments: [String], input: String = "") throws -> RunResult {
        try run(TestPaths.cairn, ["addr2line"] + arguments, input: Array(input.utf8))
    }

    private func theirs(_ arguments: [String], input: String = "") throws -> RunResult {
        try run("addr2line", arguments, input: Array(input.utf8), environment: ["LC_ALL": "C"])
    }

    @Test(
        arguments: [
            [], ["-f"], ["-fi"], ["-afi"], ["-pafi"], ["-pf"], ["-s"], ["-fsC"], ["-pfiasC"], ["-a"], ["-p"], ["--functions", "--inlines"],
            ["--func", "--inl"],
            ["--demangle", "--basenames"], ["--pretty-print", "--addresses"], ["-R", "-r"], ["--section=.text"], ["-j", ".text", "-fa"],
        ], objects)
    func `every option gives GNU's answer`(options: [String], object: String) throws {
        let path = TestPaths.fixture("binaries/C/out/" + object)
        let addresses = try functionAddresses(path) + ["0", "10", "ffffffffffffffff", "0xdeadbeef"]
        let input = addresses.joined(separator: "\n") + "\n"
        let expected = try theirs(options + ["-e", path], input: input).output.withoutDiscriminators
        #expect(try ours(options + ["-e", path], input: input).output == expected)
        #expect(try ours(options + ["--exe=" + path] + addresses).output == expected)
    }

    @Test func `lines that are no questions are answered as GNU answers them`() throws {
        let input = hostileLines + "\nmain\nmain+3\n\(String(repeating: "f", count: 250))\nfeed\nfeed+1\n"
        let expected = try theirs(["-fa", "-e", object], input: input)
        let answered = try ours(["-fa", "-e", object], input: input)
        #expect(answered.output == expected.output)
        #expect(answered.status == expected.status)
    }

    @Test func `a file that cannot be read is told in GNU's words`() throws {
        try withTemporaryFolder { folder in
            for arguments in [
                ["-e", "/nonexistent", "1"], ["-e", folder, "1"], ["-e", "/etc/passwd", "1"], ["-e", object, "-j", ".none", "1"],
            ] {
                let expected = try theirs(arguments)
                let answered = try ours(arguments)
                #expect(answered.errors == expected.errors)
                #expect(answered.status == expected.status)
                #expect(answered.output.isEmpty)
            }
            // Usage follows in GNU's; the first line says what is wrong.
            for arguments in [["-Z"], ["--bogus"], ["-e"]] {
                let answered = try ours(arguments)
                #expect(answered.errors == (try theirs(arguments).errors.split(separator: "\n").first.map { $0 + "\n" }))
                #expect(answered.status == 1)
            }
        }
    }

    @Test(arguments: ["addr2line", "x86_64-linux-gnu-addr2line", "addr2line-2.40"])
    func `a link by the tool's name is the tool`(name: String) throws {
        try withTemporaryFolder { folder in
            try #require(try run("ln", ["-s", TestPaths.cairn, folder + "/" + name]).status == 0)
            let arguments = ["-fie", object] + (try functionAddresses(object))
            #expect(try run(folder + "/" + name, arguments).output == theirs(arguments).output)
        }
    }
}
