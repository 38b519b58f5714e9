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
        /// One sentence or two.
        var summary: String
        /// The summary and what else the declaration says.
        var help: String
        var isOptional = true
        var isRepeating = false
        /// Completion of its value; of a positional one, of the argument itself.
        var completion: Completion
    }

    enum Completion: Equatable { case any, files, directories, list([String]) }

    /// Words that call it after `cairn`: `symbols add`; empty for cairn itself.
    var commandPath: String
    /// One line without a full stop.
    var summary: String
    var paragraphs: [String]
    /// Synopsis, if it is not made from the arguments.
    var synopsis: String?
    var arguments: [Argument]
    var subcommands: [DeclaredCommand] = []
    /// Completion of an argument that is not an option; `nil` if there is none.
    private(set) var operands: Completion?
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
        operands = .files
    }

    /// Reads ArgumentParser's dump of a command and of its subcommands.
    /// - Parameter undeclared: what completes values whose declaration does not say it.
    init?(dump text: String, undeclared: Completion = .any) {
        let bytes = Array(text.utf8)
        guard let root = try? JSONParser().parse(bytes.span), let command = root["command"] else { return nil }
        self.init(command, path: [], isRoot: true, undeclared)
    }

    private init(_ command: JSONValue, path: [String], isRoot: Bool, _ undeclared: Completion) {
        let path = isRoot ? path : path + [command["commandName"]?.string ?? ""]
        self.commandPath = path.joined(separator: " ")
        summary = command["abstract"]?.string ?? ""
        if summary.hasSuffix(".") { summary.removeLast() }
        paragraphs = (command["discussion"]?.string ?? "").split(separator: "\n").map { String($0) }
        arguments = (command["arguments"]?.elements ?? []).filter { $0["shouldDisplay"]?.isTrue ?? true }.map { Argument($0, undeclared) }
        let positional = arguments.filter(\.names.isEmpty).map(\.completion)
        operands = positional.first { $0 != .any } ?? positional.first ?? (undeclared == .any ? nil : undeclared)
        subcommands = (command["subcommands"]?.elements ?? [])
            .filter { $0["shouldDisplay"]?.isTrue ?? true && $0["commandName"]?.string != "help" }
            .map { DeclaredCommand($0, path: path, isRoot: false, undeclared) }
        defaultSubcommand = command["defaultSubcommand"]?.string
    }

    /// Commands with a page of their own: this one and its subcommands.
    var pages: [DeclaredCommand] { [self] + subcommands.flatMap(\.pages) }

    /// Makes the default subcommand the command's own: the arguments of that subcommand are on its
    /// page, and its declaration's text.
    mutating func absorbDefault() {
        guard let name = defaultSubcommand, let index = subcommands.firstIndex(where: { $0.commandPath == name }) else { return }
        let meant = subcommands.remove(at: index)
        (arguments, operands) = (meant.arguments, meant.operands)
        paragraphs = meant.paragraphs
    }

    /// A neighbour's own words begin with its name, which is `cairn NAME`'s.
    mutating func rename(to name: String) {
        commandPath = commandPath.isEmpty ? name : name + " " + commandPath
        for index in subcommands.indices { subcommands[index].rename(to: name) }
    }
}

extension DeclaredCommand.Argument {
    fileprivate init(_ argument: JSONValue, _ undeclared: DeclaredCommand.Completion) {
        let names = (argument["names"]?.elements ?? []).map { name -> String in
            let dashes = name["kind"]?.string == "long" ? "--" : "-"
            return dashes + (name["name"]?.string ?? "")
        }
        self.names = names.filter { !$0.hasPrefix("--") } + names.filter { $0.hasPrefix("--") }
        let isFlag = argument["kind"]?.string == "flag"
        value = isFlag ? nil : argument["valueName"]?.string
        summary = argument["abstract"]?.string ?? ""
        help = [argument["abstract"]?.string, argument["discussion"]?.string].compactMap { $0 }.joined(separator: " ")
        isOptional = argument["isOptional"]?.isTrue ?? true
        isRepeating = argument["isRepeating"]?.isTrue ?? false
        if let first = argument["defaultValue"]?.string, !isFlag { help += " (default: \(first))" }
        let kind = argument["completionKind"]
        if let values = (kind?["list"]?["values"] ?? argument["allValues"])?.elements {
            completion = .list(values.compactMap(\.string))
        } else {
            completion = kind?["file"] != nil ? .files : kind?["directory"] != nil ? .directories : undeclared
        }
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
        guard var program = try? ChildProcess(path: tools, arguments: [name, "--experimental-dump-help"]) else { return nil }
        let deadline = ContinuousClock.now + .seconds(10)
        var text = ""
        while case .line(let line) = program.reply(before: deadline) { text += line + "\n" }
        return DeclaredCommand(dump: text, undeclared: .files)
    }

    /// Each page once, `cairn` first.
    var pages: [DeclaredCommand] { cairn.pages + (personalities + neighbours).flatMap(\.pages) }
}
