internal import ArgumentParser
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import Personalities

/// Suggests a command to type instead of a wrong command line.
enum UsageHint {
    /// Tools that people come from, and the command that does their work.
    private static let otherTools = [
        "ndk-stack": "cairn LOG -sym DIR", "symbolicatecrash": "cairn CRASH --symbols DSYM", "asan_symbolize": "cairn filter",
        "asan_symbolize.py": "cairn filter", "stack": "cairn LOG --symbols DIR", "coredumpctl": "coredumpctl info | cairn -",
        "c++filt": "cairn LOG", "minidump-stackwalk": "minidump-stackwalk FILE | cairn -",
    ]

    /// Commands of `cairn batch`, which is another program (`ArgumentScanTests` compares them).
    static let storeCommands: Set<String> = ["top", "show", "diff", "search", "export", "report", "prune", "copy", "lists"]

    /// Every word that can be first: commands, the tools that cairn replaces, the separate
    /// programs.
    static var commandNames: [String] {
        ["help"] + CommandTree.names + Personality.names + SiblingPrograms.names
    }

    /// Problem of a first word that is no command and no file; `nil` if it may be a log that is
    /// missing.
    static func problem(ofFirst arguments: [String]) -> String? {
        guard let word = arguments.first, !word.hasPrefix("-"), !CommandTree.has(word), PathKind(path: word) == nil else { return nil }
        let rest = arguments.count > 1 ? " " + commandLine(arguments.dropFirst()) : ""
        if let other = otherTools[word] { return "\(word): not a command of cairn. Use: \(other)" }
        if word.hasPrefix("0x"), Numbers.hexadecimal(word) != nil {
            return "\(word): not a file. To look up an address: cairn addr2line -e FILE \(word)"
        }
        if storeCommands.contains(word) { return "\(word): not a command, and no such file. Use: cairn batch \(word)\(rest)" }
        // A name with a dot or a slash is a path: a log that is missing is said to be missing.
        guard !word.contains("/"), !word.contains(".") else { return nil }
        let suggestion = SimilarNames.suggestion(for: word, among: commandNames) { "cairn \($0)\(rest)" }
        return suggestion.isEmpty ? nil : "\(word): not a command, and no such file." + suggestion
    }

    /// The parser's message, with what would have done it. The parser's own suggestion may have no
    /// letter in common with what was typed: `--quiet` for `--list`.
    /// - Parameter command: the words of the command that the arguments name: `symbolicate`.
    static func improved(_ message: String, _ arguments: [String], of command: String) -> String {
        guard let option = CommandTree.unknownOption(message) else { return message }
        return "Unknown option '\(option)'." + meant(option, arguments, of: command)
    }

    private static func meant(_ option: String, _ arguments: [String], of command: String) -> String {
        if option == "-e" { return " To look up addresses: cairn addr2line " + commandLine(arguments) }
        let name = String(option.drop { $0 == "-" })
        let formats = Symbolicate.Format.allCases.map(\.rawValue)
        if formats.contains(name) { return " Use: --format \(name)" }
        guard let pages = DeclaredCommand(dump: CommandTree._dumpHelp())?.pages else { return "" }
        let own = pages.first { $0.commandPath == command }?.arguments.flatMap(\.names) ?? []
        // `-symbols build`: the parser takes each letter for an option.
        let typed = option.hasPrefix("--") ? nil : arguments.first { $0.hasPrefix("-") && own.contains("-" + $0) }
        if let typed { return " Use: -\(typed)" }
        if let usual = OptionName.usual(for: option, arguments, among: own) { return " Use: " + usual }
        let owners = pages.filter { $0.arguments.contains { $0.names.contains(option) } }.map { "cairn \($0.commandPath)" }
        if let last = owners.last, owners.count <= 3 {
            return " It is an option of " + (owners.count > 1 ? owners.dropLast().joined(separator: ", ") + " and " : "") + last
        }
        let similar = SimilarNames.suggestion(for: name, among: own.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) }) {
            "--" + $0
        }
        return similar.isEmpty ? SimilarNames.suggestion(for: name, among: formats) { "--format " + $0 } : similar
    }

    private static func commandLine(_ arguments: some Sequence<String>) -> String {
        arguments.map { ShellWord.quoted($0, isPath: false) }.joined(separator: " ")
    }
}
