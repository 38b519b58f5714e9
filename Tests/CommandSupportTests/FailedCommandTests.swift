import ArgumentParser
import Testing

@testable import CommandSupport

/// The line that points to a command's help names the command that was called wrongly.
struct FailedCommandTests {
    private struct Root: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Symbolicate.self, Symbols.self], defaultSubcommand: Symbolicate.self)
    }

    private struct Symbolicate: ParsableCommand {}

    private struct Symbols: ParsableCommand {
        static let configuration = CommandConfiguration(subcommands: [Add.self])
    }

    private struct Add: ParsableCommand {}

    @Test(arguments: [
        (["symbols", "add", "--bad"], "cairn symbols add"), (["symbols", "--bad", "add"], "cairn symbols"),
        (["symbols", "remove"], "cairn symbols"), (["symbols", "add", "symbols"], "cairn symbols add"),
        // If no word names a command, it is the default one.
        (["--bad", "crash.log"], "cairn symbolicate"), ([], "cairn symbolicate"), (["crash.log", "symbols"], "cairn symbolicate"),
    ])
    func `the words before the first other argument name the command`(arguments: [String], name: String) {
        #expect(Root.named(by: arguments, root: "cairn") == name)
    }

    @Test func `a command without a default one is itself`() {
        #expect(Symbols.named(by: ["--bad"], root: "cairn symbols") == "cairn symbols")
    }
}
