package import ArgumentParser
internal import Console

extension ParsableCommand {
    /// The command that the arguments name, as its help is called for: `cairn symbols add` for
    /// `symbols add --bad`, and the default command for `--bad crash.log`.
    /// - Parameter root: how this command is called, `cairn batch`.
    package static func named(by arguments: [String], root: String) -> String {
        var names = [root]
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else { break }
            names.append(argument)
            command = next
        }
        if names.count == 1, let usual = configuration.defaultSubcommand { names.append(usual._commandName) }
        return names.joined(separator: " ")
    }

    /// Describes the problem of a command line, and says what was meant: a subcommand that is not there, an option
    /// of another tool; else the parser's own message.
    /// - Parameter root: how this command is called, `cairn batch`.
    package static func usageProblem(_ error: any Error, _ arguments: [String], root: String) -> String {
        if let problem = unknownSubcommand(in: arguments, root: root) { return problem }
        let message = message(for: error)
        guard let option = unknownOption(message) else { return message }
        let own = DeclaredCommand(dump: _dumpHelp())?.pages.flatMap { $0.arguments.flatMap(\.names) } ?? []
        return OptionName.usual(for: option, arguments, among: own).map { "Unknown option '\(option)'. Use: \($0)" } ?? message
    }

    /// The option of the parser's message that it does not know.
    package static func unknownOption(_ message: String) -> String? {
        guard message.hasPrefix("Unknown option '") else { return nil }
        return message.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first.map(String.init)
    }

    /// `ad` of `symbols ad x`, where the command has subcommands and does nothing without one.
    private static func unknownSubcommand(in arguments: [String], root: String) -> String? {
        var name = root
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            let below = command.configuration.subcommands
            if let next = below.first(where: { $0._commandName == argument }) {
                name += " " + argument
                command = next
                continue
            }
            guard !below.isEmpty, command.configuration.defaultSubcommand == nil, !argument.hasPrefix("-"), argument != "help" else {
                break
            }
            return "\(argument): not a command of \(name)." + SimilarNames.suggestion(for: argument, among: below.map { $0._commandName })
        }
        return nil
    }
}
