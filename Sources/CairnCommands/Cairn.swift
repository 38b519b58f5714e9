internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Personalities

/// The program. The name it was called by, then its first argument, decide what it is; the tools
/// whose place it takes read their own options, because their grammars are not the usual one and
/// their start-up counts.
package enum Cairn {
    package static func main() {
        FileChanges.survive()
        let arguments = Program.arguments
        let rest = Array(arguments.dropFirst())
        if let personality = Personality(program: arguments.first ?? "") { become(personality, rest) }
        if rest == ["-h"] { show(ShortHelp.root.text) }
        if RootHelp.isWanted(rest) { show(RootHelp.text) }
        if rest == ["-V"] || rest == ["--version"] || rest == ["version"] && PathKind(path: "version") == nil {
            show("cairn \(cairnVersion)\n")
        }
        if let name = rest.first {
            let others = Array(rest.dropFirst())
            if name == "help" { help(others) }
            if let personality = Personality(named: name) { become(personality, others) }
            if !CommandTree.has(name), let status = SiblingPrograms().run(name, others) { endProcess(status) }
        }
        CommandTree.start(rest)
    }

    /// `cairn help NAME` of a command that the tree does not have: a tool's, or a neighbour's.
    /// Returns where the tree has it.
    private static func help(_ arguments: [String]) {
        guard let name = arguments.first, !CommandTree.has(name) else { return }
        if let personality = Personality(named: name) { become(personality, ["--help"]) }
        if let status = SiblingPrograms().run(name, arguments.dropFirst() + ["--help"]) { endProcess(status) }
        printUsageError("help: \(name): no such command." + SimilarNames.suggestion(for: name, among: UsageHint.commandNames), of: "cairn")
        endProcess(.usage)
    }

    private static func become(_ personality: Personality, _ arguments: [String]) -> Never {
        switch personality.work {
        case .here(let run): endProcess(run(arguments, .process))
        case .neighbour(let name): endProcess(SiblingPrograms().run(name, arguments) ?? .failed)
        }
    }
}

/// `cairn help` and `cairn --help`: all commands, those of the separate programs too, and how cairn
/// ends.
private enum RootHelp {
    /// Whether the arguments want the help of cairn itself.
    static func isWanted(_ arguments: [String]) -> Bool { [["help"], ["--help"], ["help", "--help"]].contains(arguments) }

    static var text: String {
        let own = CommandTree.helpMessage()
        // The parser's last line names the help of a command.
        let footer = own.firstRange(of: "\n  See '")?.lowerBound ?? own.endIndex
        var text = String(own[..<footer]) + "\nSEPARATE PROGRAMS:\n"
        for name in SiblingPrograms.names { text += row(name, SiblingPrograms.summary(of: name) ?? "") }
        text += "\nDROP-IN TOOLS:\n"
        for manual in Personality.manuals { text += row(manual.name, manual.summary.prefix(1).uppercased() + manual.summary.dropFirst()) }
        return text + "\nEXIT STATUS:\n" + ExitStatus.help + own[footer...] + "\n"
    }

    private static func row(_ name: String, _ summary: String) -> String {
        ShortHelp.row(name, summary + (summary.hasSuffix(".") ? "" : "."))
    }
}

/// Writes a text to standard output, and ends the process.
func show(_ text: String) -> Never {
    var output = StandardOutput()
    output.append(text)
    output.flush()
    endProcess(.done)
}
