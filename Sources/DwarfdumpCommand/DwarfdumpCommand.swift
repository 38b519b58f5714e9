package import ArgumentParser
internal import CCairn
internal import Console

/// The commands that read hostile bytes for a long time: the dumper, and libdwarf as the second opinion.
/// Files are read in a separate process, so that an old C library can crash nothing else.
package struct CairnDwarfdump: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "cairn-dwarfdump",
        abstract: "Dump debug information, or compare its readers.",
        version: "cairn-dwarfdump \(cairnVersion)",
        subcommands: [Dump.self, Verify.self], defaultSubcommand: Dump.self)

    package init() {}

    /// Wrong usage is one line and status 64, as in `cairn`.
    ///
    /// - Parameter arguments: the arguments after `cairn dwarfdump`; or `verify` and the arguments after it.
    package static func start(_ arguments: [String]) {
        cairn_contain_descriptors()
        let isDump = !["verify", "help", "--version"].contains(arguments.first)
        // Help shows the options, not the list of two subcommands.
        let wantsHelp = isDump && arguments.contains { ["--help", "-help", "-h"].contains($0) }
        if isDump, let option = DumpArguments.unbuilt(arguments) {
            printDiagnostic(
                "dwarfdump: \(option) is not built yet: llvm-dwarfdump has it; cairn verify compares cairn's results with libdwarf's")
            exit(withError: ExitCode(64))
        }
        do {
            var command = try parseAsRoot(wantsHelp ? ["help", "dump"] : isDump ? DumpArguments.translated(arguments) : arguments)
            try command.run()
        } catch { end(with: error) }
    }

    /// Ends with the error that was thrown: wrong usage prints a line, a status prints nothing.
    static func end(with error: any Error) -> Never {
        let code = exitCode(for: error)
        guard code != .success, !(error is ExitCode) else { exit(withError: error) }
        let lines = message(for: error).split(separator: "\n", omittingEmptySubsequences: true)
        printDiagnostic("\(lines.joined(separator: " ")) (see cairn dwarfdump --help)")
        exit(withError: ExitCode(64))
    }
}
