internal import ArgumentParser
internal import BinaryPrimitives
internal import CCairn
internal import CommandSupport
internal import Console
internal import Personalities

/// The program. The name it was called by, then its first argument, decide what it is; the tools
/// whose place it takes read their own options, because their grammars are not the usual one and
/// their start-up counts.
package enum Cairn {
    package static func main() {
        FileChanges.survive()
        let arguments = processArguments()
        let rest = Array(arguments.dropFirst())
        if let personality = Personality(program: arguments.first ?? "") { become(personality, rest) }
        if RootHelp.isWanted(rest) { show(RootHelp.text) }
        if rest == ["-V"] || rest == ["version"] && PathKind(path: "version") == nil { show("cairn \(cairnVersion)\n") }
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
    static func isWanted(_ arguments: [String]) -> Bool { [["help"], ["--help"], ["-h"], ["help", "--help"]].contains(arguments) }

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

    /// As the parser's own rows: the name, and what it does from column 26 to 78.
    private static func row(_ name: String, _ summary: String) -> String {
        let end = summary.hasSuffix(".") ? "" : "."
        var lines: [String] = []
        var line = "  " + name + String(repeating: " ", count: max(1, 24 - name.utf8.count))
        var isEmpty = true
        for word in (summary + end).split(separator: " ") {
            if !isEmpty, line.count + word.count > 78 {
                lines.append(line)
                (line, isEmpty) = (String(repeating: " ", count: 26), true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n") + "\n"
    }
}

/// The process's arguments, the program's name first; without `/proc` too, which `CommandLine`
/// needs.
func processArguments() -> [String] {
    guard let arguments = unsafe cairn_arguments() else { return CommandLine.arguments }
    var result: [String] = []
    for index in 0..<Int(cairn_argument_count()) {
        if let argument = unsafe arguments[index] { result.append(unsafe String(cString: argument)) }
    }
    return result
}

/// Writes a text to standard output, and ends the process.
func show(_ text: String) -> Never {
    var output = StandardOutput()
    output.append(text)
    output.flush()
    endProcess(.done)
}
