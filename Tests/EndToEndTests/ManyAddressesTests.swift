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

    /// 65,536 at most are resolved together: here three times as many. While the results of the
    /// first are handed on, the next are read.
    @Test func `results of several batches come in order`() throws {
        let arguments = ["llvm-symbolizer", "--obj=" + Self.program, "--addresses"]
        let once = try cairn(arguments, input: Self.addresses.joined(separator: "\n") + "\n").output
        let times = 200
        let input = String(repeating: Self.addresses.joined(separator: "\n") + "\n", count: times)
        let all = try cairn(arguments, input: input)
        #expect(all.status == 0 && all.errors.isEmpty)
        #expect(all.output == String(repeating: once, count: times))
    }

    /// A file whose debug information is large enough for an index (`IndexRule`): Debian's Python
    /// with the package python3.11-dbg.
    private static let large: String? = {
        let program = "/usr/bin/python3.11"
        let main = try? cairn(["llvm-symbolizer", "--obj=" + program], input: "main\n")
        return main?.output.contains("python.c:") ?? false ? program : nil
    }()

    /// From 50,000 addresses on the file gets an index, from which texts come then. A thousand are
    /// looked up without one.
    @Test(.enabled(if: large != nil, "python3.11-dbg is not installed")) func `an index gives the results of the file`() throws {
        let arguments = ["llvm-symbolizer", "--obj=" + (try #require(Self.large)), "--addresses"]
        // The golden ratio's multiples: all over the code, of which each address is another one.
        let addresses = (0..<100_000).map { "0x" + String(0x420f10 + $0 &* 0x9e37_79b1 % 0x2adf2e, radix: 16) }
        let all = try cairn(arguments, input: addresses.joined(separator: "\n") + "\n")
        #expect(all.status == 0 && all.errors.isEmpty)
        let results = all.output.split(separator: "\n\n").map { $0 + "\n\n" }
        #expect(results.count == addresses.count)
        for start in [0, 60_000, 65_000, 99_000] {
            let few = try cairn(arguments, input: addresses[start..<start + 1000].joined(separator: "\n") + "\n").output
            #expect(few == results[start..<start + 1000].joined())
        }
        #expect(results.count { $0.contains(".c:") || $0.contains(".h:") } > 90_000)
    }
}
