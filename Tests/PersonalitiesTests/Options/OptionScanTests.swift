import Testing

@testable import Personalities

/// Options as `getopt_long(3)` reads them, with glibc's messages.
struct OptionScanTests {
    private static let table = [
        ToolOption("a", "addresses", help: ""), ToolOption("e", "exe", value: .required("FILE"), help: ""),
        ToolOption("C", "demangle", value: .optional("STYLE"), help: ""), ToolOption("R", "recurse-limit", "recursion-limit", help: ""),
        ToolOption("s", "symbols", help: ""), ToolOption("x", "symbols-sections", help: ""),
        ToolOption("", "strict", isHidden: true, help: ""),
    ]

    private func scan(_ arguments: [String]) throws -> (choices: [String], operands: [String]) {
        var scan = OptionScan(arguments, Self.table)
        var choices: [String] = []
        while let choice = try scan.next() { choices.append(choice.option.key + (choice.value.map { "=" + $0 } ?? "")) }
        return (choices, scan.operands)
    }

    @Test func `letters, long names and operands come in any order`() throws {
        let (choices, operands) = try scan([
            "1", "-ae", "file", "2", "--exe=x", "--exe", "y", "-efile", "-", "-C", "--demangle=rust", "--", "-a",
        ])
        #expect(choices == ["addresses", "exe=file", "exe=x", "exe=y", "exe=file", "demangle", "demangle=rust"])
        #expect(operands == ["1", "2", "-", "-a"])
    }

    @Test func `names may be cut where they stay unique, a whole name is never ambiguous`() throws {
        #expect(
            try scan(["--ad", "--rec", "--symbols", "--symbols-", "--d"]).choices == [
                "addresses", "recurse-limit", "symbols", "symbols-sections", "demangle",
            ])
        // Hidden options are not listed.
        #expect(throws: OptionScan.Misuse(message: "option '--s' is ambiguous; possibilities: '--symbols' '--symbols-sections'")) {
            _ = try scan(["--s"])
        }
        #expect(try scan(["--strict"]).choices == ["strict"])
        #expect(throws: OptionScan.Misuse(message: "unrecognized option '--stri'")) { _ = try scan(["--stri"]) }
    }

    @Test(arguments: [
        (["-aZ"], "invalid option -- 'Z'"), (["-e"], "option requires an argument -- 'e'"),
        (["--exe"], "option '--exe' requires an argument"),
        (["--addr=3"], "option '--addresses' doesn't allow an argument"), (["--bogus=3"], "unrecognized option '--bogus=3'"),
    ])
    func `misuse is told in the C library's words`(arguments: [String], message: String) {
        #expect(throws: OptionScan.Misuse(message: message)) { _ = try scan(arguments) }
    }
}
