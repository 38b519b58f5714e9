import TestSupport
import Testing

/// Combinations of llvm-symbolizer's flags that change what is printed, beside LLVM 19's own: a
/// sample in the default run, all of them with `scripts/checks/all-repeats`.
@Suite(
    .enabled(
        if: Installed.has("llvm-symbolizer-19", "llvm-addr2line-19", "llvm-ar-19"), "LLVM 19's tools (package llvm-19) are not installed"))
struct LLVMSymbolizerCombinationsTests {
    /// One choice of each row.
    private static let flags: [[[String]]] = [
        [[], ["--output-style=GNU"], ["--output-style=JSON"]],
        [[], ["--no-inlines"]],
        [[], ["-a"]],
        [[], ["-p"]],
        [[], ["--functions=none"], ["--functions=short"]],
        [[], ["--no-demangle"]],
        [[], ["-s"], ["--relativenames"]],
        [[], ["--verbose"]],
    ]

    private static let combinations = flags.reduce([[]]) { known, choices in known.flatMap { before in choices.map { before + $0 } } }

    /// LLVM's, and cairn's within this process; the first of the sample by the built program, too.
    @Test(arguments: [("llvm-symbolizer", "CXX/out/cxx-gcc-dwarf5-O2"), ("llvm-addr2line", "C/out/c-clang-dwarf5-O2")])
    func `combinations of flags print what LLVM prints`(tool: String, object: String) throws {
        let path = TestPaths.fixture("binaries/" + object)
        let starts = try functionAddresses(path)
        let isHexadecimal = tool == "llvm-addr2line"
        let some = stride(from: 0, to: starts.count, by: max(1, starts.count / 8)).map {
            isHexadecimal ? String(starts[$0].dropFirst(2)) : starts[$0]
        }
        let rest = ["--obj=" + path] + some + ["main", "0", "nonsense"]
        try #require(Self.combinations.count == 3 * 2 * 2 * 2 * 3 * 2 * 3 * 2)
        for (index, flags) in Repeats.sample(12, of: Self.combinations, for: tool).enumerated() {
            let expected = try run(tool + "-19", flags + rest, environment: ["DEBUGINFOD_URLS": nil as String?])
            let found = try runTool(tool, flags + rest, variables: ["CAIRN_STRICT_COMPAT": "1"])
            let name = "\(tool) \(flags.joined(separator: " ")), \(Repeats.hint)"
            #expect(firstDifference(found.output, from: expected.output) == nil, "\(name)")
            #expect(firstDifference(found.errors, from: expected.errors.replacing(tool + "-19:", with: tool + ":")) == nil, "\(name)")
            if index == 0 {
                let built = try run(TestPaths.cairn, [tool, "--strict-compat"] + flags + rest)
                #expect(built.output == found.output && built.errors == found.errors && built.status == found.status, "\(name)")
            }
        }
    }

    /// Variables, frames and symbols: every one that the object has.
    @Test(
        arguments: ["C/out/c-gcc-dwarf4-O0", "C/out/c-clang-dwarf5-O2", "CXX/out/cxx-gcc-dwarf5-O2", "CXX/out/cxx-clang-dwarf4-O2"],
        [[], ["--output-style=JSON"], ["--no-demangle"]])
    func `variables, frames and symbols are as LLVM has them`(object: String, options: [String]) throws {
        let path = TestPaths.fixture("binaries/" + object)
        let rows = try Toolchain.run("llvm-nm", ["--defined-only", "--print-size", path]).lines.map { $0.split(separator: " ") }.filter {
            $0.count == 4
        }
        let data = rows.filter { ["b", "B", "d", "D", "r", "R", "V"].contains($0[2]) }.map { "DATA 0x" + $0[0] }
        let frames = try functionAddresses(path).map { "FRAME " + $0 }
        let names = rows.filter { ["t", "T", "W"].contains($0[2]) }.map { String($0[3]) }
        try #require(!data.isEmpty && !names.isEmpty)
        for (kind, lines) in [("DATA", data), ("FRAME", frames), ("symbols", names + names.map { $0 + "+3" })] {
            let arguments = options + ["--obj=" + path]
            let input = Array(lines.joined(separator: "\n").utf8)
            let expected = try run("llvm-symbolizer-19", arguments, input: input).output
            #expect(
                try run(TestPaths.cairn, ["llvm-symbolizer", "--strict-compat"] + arguments, input: input).output == expected, "\(kind)")
        }
    }

    @Test(arguments: ["1", "2", "3", "4", "99"], ["LLVM", "GNU", "JSON"])
    func `lines of source text stand around a line`(count: String, style: String) throws {
        try withTemporaryFolder { folder in
            let source = folder + "/part.c"
            let text = (1...9).map { "int f\($0)(int x) { return x * \($0) + f\($0 - 1)(x); }\($0 == 4 ? "\r" : "")\n" }.joined()
            try writeFile(source, Array(("int f0(int x);\n" + text).utf8))
            try run("gcc", ["-g", "-O0", "-c", source, "-o", folder + "/whole.o"]).requireSuccess()
            let options = ["--print-source-context-lines=" + count, "--output-style=" + style, "--obj=" + folder + "/whole.o"]
            let input = Array((0..<80).map { "0x" + String($0 * 4, radix: 16) }.joined(separator: "\n").utf8)
            let expected = try run("llvm-symbolizer-19", options, input: input).output
            try #require(expected.contains(style == "JSON" ? "Source" : " >: int f"))
            #expect(try run(TestPaths.cairn, ["llvm-symbolizer", "--strict-compat"] + options, input: input).output == expected)
        }
    }

    @Test func `a member of an archive and a slice are named behind the file`() throws {
        let object = TestPaths.fixture("binaries/C/out/c-gcc-dwarf4-O0")
        let start = try #require(try functionAddresses(object).first)
        try withTemporaryFolder { folder in
            try run("llvm-ar-19", ["rc", folder + "/lib.a", object]).requireSuccess()
            let expected = try run("llvm-symbolizer-19", ["--obj=" + object, start]).output
            for name in [folder + "/lib.a(c-gcc-dwarf4-O0)", object + ":x86_64", folder + "/lib.a(c-gcc-dwarf4-O0):x86_64"] {
                #expect(try run(TestPaths.cairn, ["llvm-symbolizer", "--obj=" + name, start]).output == expected)
                #expect(try run(TestPaths.cairn, ["llvm-symbolizer", "\"\(name)\" \(start)"]).output == expected)
            }
            let gone = try run(TestPaths.cairn, ["llvm-symbolizer", "--obj=" + folder + "/lib.a(gone.o)", start])
            #expect(gone.status == 1)
            #expect(gone.errors.contains("no such member"))
        }
    }
}
