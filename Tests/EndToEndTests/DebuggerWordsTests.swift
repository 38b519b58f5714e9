import TestSupport
import Testing

/// gdb 13's own output for two programs (`*.gdb.tsv`), sentence by sentence.
struct DebuggerWordsTests {
    @Test(arguments: ["c-gcc-dwarf4-O0", "c-clang-dwarf5-O2"])
    func `info symbol and info line say what gdb says`(name: String) throws {
        let binary = "binaries/C/out/" + name
        let rows = try table(TestPaths.fixture(binary + ".gdb.tsv"))
        #expect(rows.count >= 30)
        let addresses = rows.compactMap { $0["address"] }
        #expect(try cairn(["info", "symbol", "-o", binary] + addresses).lines == rows.map { $0["info symbol"] ?? "" })
        #expect(try cairn(["info", "line", "-o", binary] + addresses.map { "*" + $0 }).lines == rows.map { $0["info line"] ?? "" })
    }

    /// The bundle is what dsymutil made of the program: its line table has the same entries, each
    /// at the address where the linker put it.
    @Test(arguments: ["arm64", "x86_64"])
    func `a program without a dSYM has the lines of the object files that its debug map names`(architecture: String) throws {
        let folder = "binaries/DebugMap/out/\(architecture)/"
        let addresses = Set(try table(TestPaths.fixture(folder + "meter.\(architecture).expected.tsv")).compactMap { $0["address"] })
            .sorted()
        #expect(addresses.count > 15)
        for question in ["symbol", "line"] {
            let program = try cairn(["info", question, "-o", folder + "meter"] + addresses).lines
            let bundle = try cairn(["info", question, "-o", folder + "linked.dSYM"] + addresses).lines
            // The bundle has no stubs, and so no name for where the last function ends.
            #expect(
                program.map { $0.replacing(" <DYLD-STUB$$__stack_chk_fail>.", with: ".") }
                    == bundle.map { $0.replacing("linked.dSYM", with: "meter") })
            #expect(program.count { $0.hasPrefix("No ") } < addresses.count / 2)
        }
    }

    /// The function, file and line of each address are those of `go tool addr2line`.
    @Test(arguments: ["tank-go1.19", "tank-go1.27"])
    func `a Go program without symbols has those of its own line table`(name: String) throws {
        let binary = "binaries/Go/out/" + name
        let rows = try table(TestPaths.fixture(binary + ".expected.tsv")).filter { ($0["function"] ?? "").hasPrefix("main.") }
        try #require(rows.count > 8)
        let addresses = rows.compactMap { $0["address"] }
        let lines = try cairn(["info", "line", "-o", binary] + addresses).lines
        let symbols = try cairn(["info", "symbol", "-o", binary] + addresses).lines
        for (row, (line, symbol)) in zip(rows, zip(lines, symbols)) {
            #expect(line.hasPrefix("Line \(row["line"] ?? "") of \"\(row["file"] ?? "")\" starts at address "), "\(line)")
            #expect(symbol.hasPrefix(row["function"] ?? "-") && symbol.hasSuffix(" in section .text"), "\(symbol)")
        }
    }

    @Test func `what nothing matches is repeated as it was typed`() throws {
        let binary = "binaries/C/out/c-gcc-dwarf4-O0"
        let symbols = try cairn("info", "symbol", "0xdeadbeef", "*3735928559", "-o", binary)
        #expect(symbols.lines == ["No symbol matches 0xdeadbeef.", "No symbol matches *3735928559."])
        let lines = try cairn("info", "line", "*0xdeadbeef", "-o", binary)
        #expect(lines.lines == ["No line number information available for address 0xdeadbeef"])
    }
}
