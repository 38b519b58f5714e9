import Testing

@testable import Personalities

/// The text of `--help`, in the layout of GNU's own: `  -j --section=<name>    Read …`.
struct ToolHelpTests {
    private func help(_ grammar: ToolManual.Grammar, _ options: [ToolOption]) -> [String] {
        let manual = ToolManual(
            name: "tool", summary: "turn this into that", synopsis: "[OPTION...]", grammar: grammar, options: options, remarks: [])
        return ToolHelp(manual).text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    @Test(arguments: [
        (ToolOption("a", "addresses", help: "x"), "-a --addresses"),
        (ToolOption("j", "section", value: .required("NAME"), help: "x"), "-j --section=<name>"),
        (ToolOption("C", "demangle", value: .optional("STYLE"), help: "x"), "-C --demangle[=style]"),
        (ToolOption("hH", "help", help: "x"), "-h --help"),
        (ToolOption("", "strict", help: "x"), "--strict"), (ToolOption("n", value: .required("N"), help: "x"), "-n <n>"),
        (ToolOption("R", "recurse-limit", "recursion-limit", help: "x"), "-R --recurse-limit"),
    ])
    func `an option is shown by its first letter and its first name`(option: ToolOption, words: String) {
        #expect(help(.twoDashes, [option]).contains("  \(words)  X"))
    }

    @Test func `names of one dash have their value after a space`() {
        #expect(
            help(.oneDash, [ToolOption("", "arch", value: .required("ARCHITECTURE"), help: "the slice")]).contains(
                "  -arch <architecture>  The slice"))
    }

    @Test func `help begins with the usage and the summary, and leaves hidden options out`() {
        let lines = help(
            .twoDashes, [ToolOption("a", "all", help: "everything"), ToolOption("", "secret", isHidden: true, help: "nothing")])
        #expect(lines.prefix(3) == ["Usage: tool [OPTION...]", " Turn this into that.", " The options are:"])
        #expect(!lines.contains { $0.contains("secret") })
    }

    /// Descriptions begin in one column; names that are too long for it have their own line.
    @Test func `texts are in one column`() {
        let long = "a-name-of-more-than-thirty-letters"
        let lines = help(
            .twoDashes,
            [ToolOption("a", "all", help: "first"), ToolOption("", "everything", help: "second"), ToolOption("", long, help: "third")])
        #expect(lines.contains("  --\(long)"))
        let columns = ["First", "Second", "Third"].map { text in lines.first { $0.hasSuffix(text) }.map { $0.count - text.count } }
        #expect(Set(columns) == [columns[0]] && columns[0] == 34)
    }

    /// Users can find each tool's options: every option that is not hidden has a text.
    @Test func `every option of every tool has a text of its own`() {
        #expect(Personality.manuals.map(\.name).sorted() == ["addr2line", "atos", "eu-addr2line", "llvm-addr2line", "llvm-symbolizer"])
        for manual in Personality.manuals {
            let shown = manual.options.filter { !$0.isHidden }
            #expect(shown.count > 5 && shown.allSatisfy { !$0.help.isEmpty && !$0.help.hasSuffix(".") }, "\(manual.name)")
            #expect(Set(shown.map(\.key)).count == shown.count, "\(manual.name)")
        }
    }
}
