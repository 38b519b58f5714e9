import ArgumentParser
import Foundation
import Testing

@testable import BatchCommand
@testable import CICommand
@testable import CairnCommands

/// A command whose plain lines are scanned, as both of its readers have it.
struct CommandFront: Sendable, CustomTestStringConvertible {
    /// Words that call it, after its program's name.
    let commandPath: [String]
    /// Arguments after the options, for commands that require some.
    let end: [String]
    let takesOperands: Bool
    private let program: any ParsableCommand.Type
    /// The command's own name; `nil`: it is the program.
    private let command: String?
    private let type: any ParsableCommand.Type
    let plain: @Sendable ([String]) -> (any ParsableCommand)?

    var testDescription: String { (["\(program)"] + commandPath).joined(separator: " ") }

    static let all: [CommandFront] =
        [([], Symbolicate.self), (["symbolicate"], Symbolicate.self), (["filter"], Filter.self), (["explain"], Explain.self)].map {
            (commandPath: [String], type: any ParsableCommand.Type) in
            CommandFront(
                commandPath: commandPath, end: [], takesOperands: type != Filter.self, program: CommandTree.self,
                command: type._commandName,
                type: type, plain: { CommandTree.plain($0) })
        }
        + [[], ["run"]].map { commandPath in
            CommandFront(
                commandPath: commandPath, end: ["crashes"], takesOperands: true, program: CairnBatch.self, command: "run",
                type: SymbolicateLogs.self,
                plain: { CairnBatch.plain($0) })
        }
        + [
            CommandFront(
                commandPath: [], end: ["--", "swift", "test", "-q"], takesOperands: false, program: CairnCI.self, command: nil,
                type: CairnCI.self,
                plain: { CairnCI(plain: $0) })
        ]

    /// Each command once.
    static let each = all.filter { $0.commandPath.isEmpty || $0.commandPath == ["filter"] || $0.commandPath == ["explain"] }

    func line(_ arguments: [String]) -> [String] { commandPath + arguments + end }

    func parse(_ arguments: [String]) throws -> any ParsableCommand { try program.parseAsRoot(arguments) }

    /// The same without the other commands, which is quicker.
    func parseAlone(_ arguments: [String]) throws -> any ParsableCommand {
        try type.parseAsRoot(Array(arguments.dropFirst(commandPath.count)))
    }

    /// An option as it is declared.
    struct Option {
        var names: [String]
        var isFlag: Bool
        var values: [String]

        /// Values for options that need one of a certain form, or another option beside them.
        private static let samples = [
            "--image": "tide=build/tide@0x1000", "--path-map": "/old=/new", "--repository": "/", "--log-format": "apple-crash",
            "--arch": "arm64", "--debuginfod-server": "http://a.example",
        ]

        /// The ways to write it under one of its names.
        func lines(_ name: String) -> [[String]] {
            if name == "--debuginfod" { return [[name, "--debuginfod-server", "http://a.example"]] }
            if isFlag { return [[name]] }
            let values = values.isEmpty ? [Self.samples[names[0]] ?? "1"] : values
            return values.flatMap { [[name, $0]] + (name.hasPrefix("--") ? [[name + "=" + $0]] : []) }
        }
    }

    /// Every option that the parser knows, hidden ones too, but for help and the version.
    func options() throws -> [Option] {
        var declared = try JSONDecoder().decode(Dump.self, from: Data(program._dumpHelp().utf8)).command
        if let command { declared = declared.subcommands?.first { $0.commandName == command } ?? declared }
        return (declared.arguments ?? []).compactMap { argument in
            guard let names = argument.names?.map({ ($0.kind == "long" ? "--" : "-") + $0.name }), !names.contains("--help"),
                !names.contains("--version")
            else { return nil }
            return Option(names: names, isFlag: argument.kind == "flag", values: argument.allValues ?? [])
        }
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?
        }
        struct Argument: Decodable {
            var kind: String
            var names: [Name]?
            var allValues: [String]?
        }
        struct Name: Decodable { var kind, name: String }

        var command: Command
    }
}
