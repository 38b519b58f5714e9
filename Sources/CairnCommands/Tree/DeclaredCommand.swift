internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import CrashLogModel
internal import Personalities

/// A command as its declaration has it, be it ArgumentParser's, a neighbour's or a personality's
/// option table: what manual pages and completions are made of.
struct DeclaredCommand {
    struct Argument {
        /// As they are typed, the short ones first: `-s`, `--symbols`. Empty: it is positional.
        var names: [String]
        /// The word for its value; `nil` for a flag.
        var value: String?
        var isValueOptional = false
        var joinsValue = false
        var help: String
        var isOptional = true
        var isRepeating = false
    }

    /// Words that call it after `cairn`: `symbols add`; empty for cairn itself.
    var commandPath: String
    /// One line without a full stop.
    var summary: String
    var paragraphs: [String]
    /// Synopsis, if it is not made from the arguments.
    var synopsis: String?
    var arguments: [Argument]
    var subcommands: [DeclaredCommand] = []
    /// Name of the subcommand that is used if none is given.
    private var defaultSubcommand: String?

    /// `cairn-symbols-add`.
    var pageName: String { commandPath.isEmpty ? "cairn" : "cairn-" + commandPath.split(separator: " ").joined(separator: "-") }

    init(_ manual: ToolManual) {
        commandPath = manual.name
        summary = manual.summary
        paragraphs = manual.remarks
        synopsis = manual.synopsis
        let dashes = manual.grammar == .twoDashes ? "--" : "-"
        arguments = manual.options.filter { !$0.isHidden }.map { option in
            let names = option.letters.map { "-\($0)" } + option.names.map { dashes + $0 }
            let help = option.help.prefix(1).uppercased() + option.help.dropFirst() + "."
            var argument = Argument(names: names, value: nil, joinsValue: manual.grammar == .twoDashes, help: help)
            switch option.value {
            case .none: break
            case .required(let word): argument.value = word
            case .optional(let word): (argument.value, argument.isValueOptional) = (word, true)
            }
            return argument
        }
    }

    /// Reads ArgumentParser's dump of a command and of its subcommands.
    init?(dump text: String) {
        let bytes = Array(text.utf8)
        guard let root = try? JSONParser().parse(bytes.span), let command = root["command"] else { return nil }
        self.init(command, path: [], isRoot: true)
    }

    private init(_ command: JSONValue, path: [String], isRoot: Bool) {
        let path = isRoot ? path : path + [command["commandName"]?.string ?? ""]
        self.commandPath = path.joined(separator: " ")
        summary = command["abstract"]?.string ?? ""
        if summary.hasSuffix(".") { summary.removeLast() }
        paragraphs = (command["discussion"]?.string ?? "").split(separator: "\n").map { String($0) }
        arguments = (command["arguments"]?.elements ?? []).filter { $0["shouldDisplay"]?.isTrue ?? true }.map { Argument($0) }
        subcommands = (command["subcommands"]?.elements ?? [])
            .filter { $0["shouldDisplay"]?.isTrue ?? true && $0["commandName"]?.string != "help" }
            .map { DeclaredCommand($0, path: path, isRoot: false) }
        defaultSubcommand = command["defaultSubcommand"]?.string
    }

    /// Commands with a page of their own: this one and its subcommands.
    var pages: [DeclaredCommand] { [self] + subcommands.flatMap(\.pages) }

    /// Makes the default subcommand the command's own: the arguments of that subcommand are on its
    /// page, and its declaration's text.
    mutating func absorbDefault() {
        guard let name = defaultSubcommand, let index = subcommands.firstIndex(where: { $0.commandPath == name }) else { return }
        let meant = subcommands.remove(at: index)
        arguments = meant.arguments
        paragraphs = meant.paragraphs
    }

    /// A neighbour's own words begin with its name, which is `cairn NAME`'s.
    mutating func rename(to name: String) {
        commandPath = commandPath.isEmpty ? name : name + " " + commandPath
        for index in subcommands.indices { subcommands[index].rename(to: name) }
    }
}

extension DeclaredCommand.Argument {
    fileprivate init(_ argument: JSONValue) {
        let names = (argument["names"]?.elements ?? []).map { name -> String in
            let dashes = name["kind"]?.string == "long" ? "--" : "-"
            return dashes + (name["name"]?.string ?? "")
        }
        self.names = names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
        let isFlag = argument["kind"]?.string == "flag"
        value = isFlag ? nil : argument["valueName"]?.string
        let parts = [argument["abstract"]?.string, argument["discussion"]?.string].compactMap { $0 }
        help = parts.joined(separator: " ")
        isOptional = argument["isOptional"]?.isTrue ?? true
        isRepeating = argument["isRepeating"]?.isTrue ?? false
        if let first = argument["defaultValue"]?.string, !isFlag { help += " (default: \(first))" }
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
        guard let tools = Neighbours().tools else { return }
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
        guard var program = try? ChildProcess(path: tools, arguments: [name, "--experimental-dump-help"]) else { return nil }
        let deadline = ContinuousClock.now + .seconds(10)
        var text = ""
        while case .line(let line) = program.reply(before: deadline) { text += line + "\n" }
        return DeclaredCommand(dump: text)
    }

    /// Each page once, `cairn` first.
    var pages: [DeclaredCommand] { cairn.pages + (personalities + neighbours).flatMap(\.pages) }
}
