package import ArgumentParser

/// The first screen of a command's help, for `-h`: usage, examples, the options that most runs need, and where the
/// rest is. `--help` has everything.
package struct ShortHelp {
    /// The purpose of the command, in one sentence.
    private let summary: String
    private let usage: [String]
    private let examples: [String]
    /// The options' names, what they do, and rows below them.
    private var rows: [String]
    /// Commands to type next, each with what it shows.
    private let more: [(command: String, shows: String)]

    /// - Parameters:
    ///   - command: declares the options; their texts are taken from there.
    ///   - options: those to show, in this order.
    package init(
        of command: any ParsableCommand.Type, summary: String? = nil, usage: [String], examples: [String], options: [OptionName],
        more: [(command: String, shows: String)]
    ) {
        let declared = DeclaredCommand(dump: command._dumpHelp())
        self.summary = summary ?? (declared?.summary ?? "") + "."
        self.usage = usage
        self.examples = examples
        self.more = more
        rows = options.compactMap { name in
            let argument = declared?.arguments.first { $0.names.contains(name.spellings.first ?? "") }
            return argument.map { Self.row(Self.label($0), Self.firstSentence($0.summary)) }
        }
    }

    /// Whether the arguments want it: `-h`, before the command that `cairn ci` runs.
    package static func isWanted(_ arguments: [String]) -> Bool {
        let own = arguments.prefix { $0 != "--" }
        return own.contains("-h") && !own.contains("--help")
    }

    package var text: String {
        var text = Self.wrapped(summary, first: "", indent: 0) + "\n"
        for (index, line) in usage.enumerated() { text += (index == 0 ? "USAGE: " : "       ") + line + "\n" }
        text += "\nEXAMPLES:\n" + examples.map { "  \($0)\n" }.joined()
        text += "\nOPTIONS:\n" + rows.joined()
        return text + "\nMORE:\n" + more.map { Self.row($0.command, $0.shows) }.joined()
    }

    /// The first short name and the first long one: `-s, --symbols <path>`.
    private static func label(_ argument: DeclaredCommand.Argument) -> String {
        let names = [argument.names.first { !$0.hasPrefix("--") }, argument.names.first { $0.hasPrefix("--") }].compactMap { $0 }
        return names.joined(separator: ", ") + (argument.value.map { " <\($0)>" } ?? "")
    }

    private static func firstSentence(_ text: String) -> String {
        guard let end = text.firstRange(of: ". ")?.lowerBound else { return text }
        return text[..<end] + "."
    }

    /// A row as the argument parser has them: the label, and from column 26 to 78 what it does.
    package static func row(_ label: String, _ text: String) -> String {
        let label = "  " + label
        guard label.count < indent else {
            return label + "\n" + wrapped(text, first: String(repeating: " ", count: indent), indent: indent)
        }
        return wrapped(text, first: label + String(repeating: " ", count: indent - label.count), indent: indent)
    }

    private static let indent = 26
    private static let width = 78

    /// - Parameter first: the beginning of the first line; of the others it is `indent` spaces.
    private static func wrapped(_ text: String, first: String, indent: Int) -> String {
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + word.count > width {
                lines.append(line)
                (line, isEmpty) = (String(repeating: " ", count: indent), true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n") + "\n"
    }
}
