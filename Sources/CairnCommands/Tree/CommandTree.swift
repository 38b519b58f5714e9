internal import ArgumentParser
internal import CommandSupport
internal import Console

/// The commands whose options follow the usual grammar. `cairn LOG…` is `cairn symbolicate LOG…`.
struct CommandTree: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cairn",
        abstract: "Symbolicate crash logs: turn addresses into functions, offsets, files and lines.",
        discussion: """
            cairn LOG... is short for cairn symbolicate LOG...

            cairn run ./a.out
            cairn crash.ips --symbols App.dSYM
            cairn crash.log --symbols build/ --format text
            ./server 2>&1 | cairn --symbols build/
            cairn explain crash.log --symbols build/
            cairn ci -- swift test
            cairn batch crashes/ --store crashes.sqlite

            cairn atos has the options of Apple's atos, and so has a link to cairn named atos. The same is true of addr2line, eu-addr2line, \
            llvm-symbolizer, llvm-addr2line and dwarfdump. cairn install-links makes such links.

            The separate programs are named cairn-NAME.
            """,
        version: "cairn \(cairnVersion)",
        subcommands: [
            Symbolicate.self, Run.self, Filter.self, Explain.self, Anonymize.self, Info.self, Formats.self, Inspect.self, Index.self,
            Symbols.self, InstallLinks.self, Completions.self, Manual.self,
        ],
        defaultSubcommand: Symbolicate.self)

    /// The commands' names, as the configuration has them: there they are made from types by
    /// reflection.
    static let names = [
        "symbolicate", "run", "filter", "explain", "anonymize", "info", "formats", "inspect", "index", "symbols", "install-links",
        "completions", "manual",
    ]

    /// Whether the name is one of the commands.
    static func has(_ name: String) -> Bool { name == "help" || names.contains(name) }

    /// The command of a plain line; `nil` where the parser is to read it.
    static func plain(_ arguments: [String]) -> (any ParsableCommand)? {
        switch arguments.first {
        case "symbolicate": Symbolicate(plain: arguments.dropFirst())
        case "run": Run(plain: arguments.dropFirst())
        case "filter": Filter(plain: arguments.dropFirst())
        case "explain": Explain(plain: arguments.dropFirst())
        case let name? where has(name): nil
        default: Symbolicate(plain: arguments[...])
        }
    }

    /// Parses the arguments and runs the command that they name. Wrong usage is one line, as every
    /// other error.
    static func start(_ arguments: [String]) -> Never {
        if let problem = UsageHint.problem(ofFirst: arguments) {
            printUsageError(problem, of: "cairn")
            endProcess(.usage)
        }
        do {
            let arguments = DebuginfodOptions.separated(arguments)
            var command = try plain(arguments) ?? parseAsRoot(arguments)
            try command.run()
            endProcess(.done)
        } catch {
            // Help and the version come as errors that mean success.
            let command = named(by: arguments, root: "cairn")
            guard exitCode(for: error) != .success else {
                if command == "cairn symbolicate", ShortHelp.isWanted(arguments) { show(ShortHelp.symbolicate.text) }
                exit(withError: error)
            }
            let problem = usageProblem(error, arguments, root: "cairn")
            let message = UsageHint.improved(problem, arguments, of: String(command.dropFirst("cairn ".count)))
            printUsageError(message, of: command)
            endProcess(.usage)
        }
    }
}
