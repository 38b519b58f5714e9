internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Personalities

extension DeclaredCommand {
    /// A tool that cairn replaces, by its own option table.
    init(_ manual: ToolManual) {
        let dashes = manual.grammar == .twoDashes ? "--" : "-"
        let arguments = manual.options.filter { !$0.isHidden }.map { option in
            let names = option.letters.map { "-\($0)" } + option.names.map { dashes + $0 }
            let help = option.help.prefix(1).uppercased() + option.help.dropFirst() + "."
            // The tools take an option more than once, and count the last.
            var argument = Argument(
                names: names, value: nil, joinsValue: manual.grammar == .twoDashes, summary: help, help: help, isRepeating: true,
                completion: .files)
            switch option.value {
            case .none: break
            case .required(let word): argument.value = word
            case .optional(let word): (argument.value, argument.isValueOptional) = (word, true)
            }
            return argument
        }
        self.init(
            commandPath: manual.name, summary: manual.summary, paragraphs: manual.remarks, synopsis: manual.synopsis, arguments: arguments,
            operands: .files)
    }
}

/// Every command of this installation, from the declarations themselves.
struct DeclaredCommands {
    var cairn: DeclaredCommand
    var personalities: [DeclaredCommand]
    /// Those that are there: each is run to get its own declaration.
    var neighbours: [DeclaredCommand]

    init?() {
        guard let cairn = DeclaredCommand(dump: CommandTree._dumpHelp()) else { return nil }
        self.cairn = cairn
        personalities = Personality.manuals.map { DeclaredCommand($0) }
        neighbours = []
        guard let tools = SiblingPrograms().tools else { return }
        if let dump = Self.declaration(of: "dwarfdump", tools) {
            // `cairn verify` is a command of that neighbour; what it does without one is
            // `cairn dwarfdump`.
            for command in dump.subcommands {
                var command = command
                if command.commandPath == "dump" {
                    command.commandPath = "dwarfdump"
                    command.subcommands = []
                }
                neighbours.append(command)
            }
        }
        for name in ["batch", "ci", "fetch", "groups", "serve", "stream"] {
            guard var command = Self.declaration(of: name, tools) else { continue }
            command.absorbDefault()
            command.rename(to: name)
            neighbours.append(command)
        }
    }

    private static func declaration(of name: String, _ tools: String) -> DeclaredCommand? {
        guard let program = try? ChildProcess(path: tools, arguments: [name, "--experimental-dump-help"]) else { return nil }
        let deadline = ContinuousClock.now + .seconds(10)
        var text = ""
        while case .line(let line) = program.reply(before: deadline) { text += line + "\n" }
        return DeclaredCommand(dump: text, undeclared: .files)
    }

    /// Each page once, `cairn` first.
    var pages: [DeclaredCommand] { cairn.pages + (personalities + neighbours).flatMap(\.pages) }
}
