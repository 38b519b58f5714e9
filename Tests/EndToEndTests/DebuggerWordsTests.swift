import TestSupport
import Testing

/// gdb 13's own answers for two programs (`*.gdb.tsv`), sentence by sentence.
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

    @Test func `what nothing matches is repeated as it was typed`() throws {
        let binary = "binaries/C/out/c-gcc-dwarf4-O0"
        let symbols = try cairn("info", "symbol", "0xdeadbeef", "*3735928559", "-o", binary)
        #expect(symbols.lines == ["No symbol matches 0xdeadbeef.", "No symbol matches *3735928559."])
        let lines = try cairn("info", "line", "*0xdeadbeef", "-o", binary)
        #expect(lines.lines == ["No line number information available for address 0xdeadbeef"])
    }
}
