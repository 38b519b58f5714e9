import TestSupport
import Testing

/// Bare lists of addresses, each the same eight places of one program in another spelling, against
/// llvm-symbolizer's results.
struct AddressListTests {
    private static let folder = "logs/address-list/nested/"
    private static let program = "binaries/Functions/out/nested"

    @Test(arguments: ["hexadecimal", "padded", "decimal", "numbered", "functions", "sizes", "files", "paths"])
    func `each place is answered`(name: String) throws {
        let result = try cairn(Self.folder + name + ".txt", "--symbols", Self.program, "--format", "json", "--quiet").requireSuccess()
        let report = try #require(try jsonLogs(result).first)
        #expect(report.format == "address-list")
        let frames = report.threads.flatMap(\.frames)
        let expected = try table(TestPaths.fixture(Self.folder + "expected-answers.tsv"))
        #expect(expected.count == 8)
        #expect(frames.map { $0.functions?.last?.name } == expected.map { $0["function"] })
        #expect(frames.map { $0.functions?.last?.offset.map(String.init) } == expected.map { $0["offset"] })
        #expect(frames.map { $0.functions?.last?.file } == expected.map { $0["file"] })
        #expect(frames.map { $0.functions?.last?.line.map(String.init) } == expected.map { $0["line"] })
    }

    @Test func `an answer stands behind its address, and ends its line`() throws {
        let decimal = try cairn(Self.folder + "decimal.txt", "--symbols", Self.program)
        #expect(
            decimal.output == """
                (4198400  weigh + 0 (nested.c:4)
                4198405  weigh + 5 (nested.c:4)
                4198465  basket.1 + 0 (nested.c:12)
                4198470  basket.1 + 5 (nested.c:12)
                4198477  stall.0 + 0 (nested.c:13)
                4198482  stall.0 + 5 (nested.c:13)
                4198486  market + 0 (nested.c:10)
                4198491  market + 5 (nested.c:15)
                )

                """)
        let again = try cairn("-", "--symbols", Self.program, input: decimal.output)
        #expect(again.output == decimal.output)
        #expect(
            try cairn(Self.folder + "padded.txt", "--symbols", Self.program).output.hasPrefix(
                "0000000000401000  weigh + 0 (nested.c:4)\r\n"))
    }

    /// 0x401046 − 1 is still `basket`, 0x401041 − 1 is the byte before it: the end of `weigh`, at
    /// 0x401040.
    @Test func `return addresses are only taken for such when the user says so`() throws {
        let result = try cairn(Self.folder + "hexadecimal.txt", "--symbols", Self.program, "--adjust", "always", "--format", "json", "-q")
        let frames = try #require(try jsonLogs(result).first).threads.flatMap(\.frames)
        #expect(frames.prefix(4).last?.functions?.last?.name == "basket.1")
        #expect(frames.prefix(3).last?.functions?.last?.name == "weigh")
    }

    @Test func `other text is no list`() throws {
        for text in ["0x401000\nand a word\n", "1\n2\n3\n", "12:30 0x401000 went\n", "2024-01-01\n"] {
            let result = try cairn("-", "--symbols", Self.program, input: text)
            #expect(result.output == text)
            #expect(result.status == 1)
        }
    }
}
