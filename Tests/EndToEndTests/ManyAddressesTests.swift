import TestSupport
import Testing

/// From 512 addresses on, several processors write the results, of a file without an index too.
struct ManyAddressesTests {
    private static let program = "binaries/Functions/out/nested"
    /// Each byte of the program's functions (0x401000 to 0x40105b), and what is around them.
    private static let addresses = (0x400f00..<0x401300).map { "0x" + String($0, radix: 16) }

    /// Few at once are written by one.
    @Test(arguments: [["--output-style=LLVM"], ["--output-style=GNU"], ["--output-style=JSON"]])
    func `results come in the order of the addresses, and are those of each alone`(style: [String]) throws {
        #expect(Self.addresses.count == 1024)
        let arguments = ["llvm-symbolizer", "--obj=" + Self.program, "--addresses"] + style
        let all = try cairn(arguments, input: Self.addresses.joined(separator: "\n") + "\n")
        #expect(all.status == 0 && all.errors.isEmpty)
        var few = ""
        for start in stride(from: 0, to: Self.addresses.count, by: 256) {
            few += try cairn(arguments, input: Self.addresses[start..<start + 256].joined(separator: "\n") + "\n").output
        }
        #expect(all.output == few)
        // Each address is written in its result, and the functions are those of llvm-symbolizer's
        // table.
        let expected = try table(TestPaths.fixture("logs/address-list/nested/expected-answers.tsv"))
        for row in expected { #expect(all.output.contains(try #require(row["function"]))) }
    }
}
