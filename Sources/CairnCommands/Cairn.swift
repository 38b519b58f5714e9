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
        let arguments = processArguments()
        let rest = Array(arguments.dropFirst())
        if let personality = Personality(program: arguments.first ?? "") { become(personality, rest) }
        if RootHelp.isWanted(rest) { show(RootHelp.text) }
        if let name = rest.first {
            let others = Array(rest.dropFirst())
            if name == "help" { help(others) }
            if let personality = Personality(named: name) { become(personality, others) }
            if !CommandTree.has(name), let status = Neighbours().run(name, others) { endProcess(status) }
        }
        CommandTree.start(rest)
    }

    /// `cairn help NAME` of a command that the tree does not have: a tool's, or a neighbour's.
    /// Returns where the tree has it.
    private static func help(_ arguments: [String]) {
        guard let name = arguments.first, !CommandTree.has(name) else { return }
        if let personality = Personality(named: name) { become(personality, ["--help"]) }
        if let status = Neighbours().run(name, arguments.dropFirst() + ["--help"]) { endProcess(status) }
        complainOfUsage("help: \(name): no such command." + SimilarNames.question(name, among: UsageHint.commandNames), of: "cairn")
        endProcess(.usage)
    }

    private static func show(_ text: String) -> Never {
        var output = StandardOutput()
        output.append(text)
        output.flush()
        endProcess(.done)
    }

    private static func become(_ personality: Personality, _ arguments: [String]) -> Never {
        switch personality.work {
        case .here(let run): endProcess(run(arguments, .process))
        case .neighbour(let name): endProcess(Neighbours().run(name, arguments) ?? .failed)
        }
    }
}
