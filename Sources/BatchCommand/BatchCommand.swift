package import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console

/// The neighbour of `cairn` for directories of crashes. Without a command it symbolicates logs.
package struct CairnBatch: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "batch",
        _superCommandName: "cairn",
        abstract: "Symbolicate directories of crash logs, store the results, and group them by bug.",
        usage: "cairn batch DIR... [--store FILE] [options]",
        discussion: """
            cairn batch crashes --store crashes.sqlite --symbols debug-files
            cairn batch top --store crashes.sqlite
            cairn batch show 3f2a --store crashes.sqlite

            To process a directory named like a subcommand, write ./top.
            """,
        version: "cairn-batch \(cairnVersion)",
        subcommands: [
            SymbolicateLogs.self, TopGroups.self, ShowGroup.self, DiffStores.self, SearchReports.self, ExportRows.self, WriteReport.self,
            PruneStore.self, CopyStore.self, Lists.self,
        ],
        defaultSubcommand: SymbolicateLogs.self)

    /// Candidates for a mistyped path.
    static let commandNames = ["run", "top", "show", "diff", "search", "export", "report", "prune", "copy", "lists"]

    package init() {}

    /// The run of a plain line; `nil` where the parser is to read it, or where it is another
    /// command's.
    static func plain(_ arguments: [String]) -> SymbolicateLogs? {
        switch arguments.first {
        case "run": SymbolicateLogs(plain: arguments.dropFirst())
        case let name? where name == "help" || commandNames.contains(name): nil
        default: SymbolicateLogs(plain: arguments[...])
        }
    }

    /// The text of `cairn batch --help`: the subcommands, and the options of `run`, which is the default one.
    private static var help: String {
        let (own, run) = (helpMessage(), helpMessage(for: SymbolicateLogs.self))
        guard let options = own.firstRange(of: "\nOPTIONS:\n"), let subcommands = own.firstRange(of: "\nSUBCOMMANDS:\n"),
            let arguments = run.firstRange(of: "\nARGUMENTS:\n")
        else { return own }
        return String(own[..<options.lowerBound]) + run[arguments.lowerBound...] + own[subcommands.lowerBound...]
    }

    /// The text of `cairn batch -h`.
    private static var shortHelp: ShortHelp {
        ShortHelp(
            of: SymbolicateLogs.self, summary: configuration.abstract, usage: ["cairn batch DIR... [options]", "cairn batch COMMAND ..."],
            examples: ["cairn batch crashes --symbols debug-files --report pages", "cairn batch top", "cairn batch show 3f2a"],
            options: [.symbols, .store, .report, .jobs, .watch, .retryUnresolved, .anonymize, .sourceRoot, .ownCode, .quiet],
            more: [
                ("cairn batch --help", "All options and commands: top, show, diff, search, export ..."),
                ("cairn batch top --help", "The options of a command."),
            ])
    }

    /// - Parameter arguments: The arguments after `cairn batch`.
    package static func start(_ arguments: [String]) async {
        FileChanges.survive()
        do {
            let arguments = DebuginfodOptions.separated(arguments)
            if let run = plain(arguments) { return await run.run() }
            var command = try parseAsRoot(arguments)
            if var command = command as? any AsyncParsableCommand { try await command.run() } else { try command.run() }
        } catch {
            // Help and the version come as errors that mean success.
            guard exitCode(for: error) != .success else {
                let isRun = !arguments.contains { commandNames.contains($0) }
                if isRun, ShortHelp.isWanted(arguments) { return print(shortHelp.text, terminator: "") }
                if isRun, arguments.contains("--help") || arguments == ["help"] { return print(help) }
                exit(withError: error)
            }
            printUsageError(
                usageProblem(error, arguments, root: "cairn batch"), of: named(by: arguments, root: "cairn batch"), prefix: "batch: ")
            endProcess(.usage)
        }
    }
}
