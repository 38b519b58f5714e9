internal import BinaryPrimitives
internal import CrashLogModel

/// A command as its declaration has it, be it ArgumentParser's, a neighbour's or a personality's
/// option table: what short help, manual pages and completions are made of.
package struct DeclaredCommand {
    package struct Argument {
        /// As they are typed, the short ones first: `-s`, `--symbols`. Empty: it is positional.
        package var names: [String]
        /// The word for its value; `nil` for a flag.
        package var value: String?
        package var isValueOptional = false
        package var joinsValue = false
        /// One sentence or two.
        package var summary: String
        /// The summary and what else the declaration says.
        package var help: String
        package var isOptional = true
        package var isRepeating = false
        /// Completion of its value; of a positional one, of the argument itself.
        package var completion: Completion

        package init(
            names: [String], value: String?, joinsValue: Bool, summary: String, help: String, isRepeating: Bool, completion: Completion
        ) {
            self.names = names
            self.value = value
            self.joinsValue = joinsValue
            self.summary = summary
            self.help = help
            self.isRepeating = isRepeating
            self.completion = completion
        }
    }

    package enum Completion: Equatable { case any, files, directories, list([String]) }

    /// Words that call it after `cairn`: `symbols add`; empty for cairn itself.
    package var commandPath: String
    /// One line without a full stop.
    package var summary: String
    package var paragraphs: [String]
    /// Synopsis, if it is not made from the arguments.
    package var synopsis: String?
    package var arguments: [Argument]
    package var subcommands: [DeclaredCommand] = []
    /// Completion of an argument that is not an option; `nil` if there is none.
    package private(set) var operands: Completion?
    /// Name of the subcommand that is used if none is given.
    private var defaultSubcommand: String?

    /// `cairn-symbols-add`.
    package var pageName: String { commandPath.isEmpty ? "cairn" : "cairn-" + commandPath.split(separator: " ").joined(separator: "-") }

    package init(
        commandPath: String, summary: String, paragraphs: [String], synopsis: String?, arguments: [Argument], operands: Completion?
    ) {
        self.commandPath = commandPath
        self.summary = summary
        self.paragraphs = paragraphs
        self.synopsis = synopsis
        self.arguments = arguments
        self.operands = operands
    }

    /// Reads ArgumentParser's dump of a command and of its subcommands.
    /// - Parameter undeclared: what completes values whose declaration does not say it.
    package init?(dump text: String, undeclared: Completion = .any) {
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
    package var pages: [DeclaredCommand] { [self] + subcommands.flatMap(\.pages) }

    /// Makes the default subcommand the command's own: the arguments of that subcommand are on its
    /// page, and its declaration's text.
    package mutating func absorbDefault() {
        guard let name = defaultSubcommand, let index = subcommands.firstIndex(where: { $0.commandPath == name }) else { return }
        let meant = subcommands.remove(at: index)
        (arguments, operands) = (meant.arguments, meant.operands)
        paragraphs = meant.paragraphs
    }

    /// The command line of another program begins with that program's name, which users type as `cairn NAME`.
    package mutating func rename(to name: String) {
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
