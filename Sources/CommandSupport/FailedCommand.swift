package import ArgumentParser

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
}
