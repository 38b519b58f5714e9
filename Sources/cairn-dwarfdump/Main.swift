internal import ArgumentParser

/// The neighbour of `cairn` that is built on libdwarf: a program of its own, so that an old C library that reads hostile bytes can crash nothing else.
@main struct CairnDwarfdump: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn-dwarfdump",
        abstract: "Looks at debug information through libdwarf.",
        discussion: """
            cairn verify FILE runs cairn-dwarfdump verify FILE. Dumping entries and lines (cairn dwarfdump) is not built yet.
            """,
        version: "cairn-dwarfdump 0.1.0",
        subcommands: [Verify.self])

    /// Wrong usage is one line and status 64, as in `cairn`.
    static func main() {
        if let first = CommandLine.arguments.dropFirst().first, !["verify", "help", "--help", "-h", "--version"].contains(first) {
            complain("dwarfdump: dumping is not built yet: expected verify (see cairn-dwarfdump --help)")
            exit(withError: ExitCode(64))
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            let code = exitCode(for: error)
            guard code != .success, !(error is ExitCode) else { exit(withError: error) }
            complain("\(message(for: error)) (see cairn-dwarfdump --help)")
            exit(withError: ExitCode(64))
        }
    }
}
