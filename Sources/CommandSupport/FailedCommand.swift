package import ArgumentParser

extension ParsableCommand {
    /// The command that the arguments name, as its help is called for: `cairn symbols add` for
    /// `symbols add --bad`, and the default command for `--bad crash.log`.
    /// - Parameter root: how this command is called, `cairn batch`.
    package static func named(by arguments: [String], root: String) -> String {
        var words = [root]
        var command: any ParsableCommand.Type = Self.self
        for argument in arguments {
            guard let next = command.configuration.subcommands.first(where: { $0._commandName == argument }) else { break }
            words.append(argument)
            command = next
        }
        if words.count == 1, let usual = configuration.defaultSubcommand { words.append(usual._commandName) }
        return words.joined(separator: " ")
    }
}
