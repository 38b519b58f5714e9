internal import Personalities

/// The program. The name it was called by, then its first argument, decide what it is; the tools whose place it takes, and the bulk lookup, read their own
/// options, because their grammars are not the usual one and their start-up counts.
@main struct Cairn {
    static func main() {
        let arguments = processArguments()
        let rest = Array(arguments.dropFirst())
        if let personality = Personality(program: arguments.first ?? "") { endProcess(personality.run(rest)) }
        switch rest.first {
        case "lookup": endProcess(Lookup.run(Array(rest.dropFirst())))
        case let name?:
            let others = Array(rest.dropFirst())
            if let personality = Personality(named: name) { endProcess(personality.run(others)) }
            if !CommandTree.has(name), let status = Neighbours().run(name, others) { endProcess(status) }
        case nil: break
        }
        CommandTree.start(rest)
    }
}
