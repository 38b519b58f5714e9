internal import ArgumentParser
internal import CommandSupport
internal import Console
internal import Personalities

/// `cairn help` and `cairn --help`: all commands, those of the separate programs too, and how cairn
/// ends.
enum RootHelp {
    /// Whether the arguments want the help of cairn itself.
    static func isWanted(_ arguments: [String]) -> Bool { [["help"], ["--help"], ["-h"], ["help", "--help"]].contains(arguments) }

    static var text: String {
        let own = CommandTree.helpMessage()
        // The parser's last line names the help of a command.
        let footer = own.firstRange(of: "\n  See '")?.lowerBound ?? own.endIndex
        var text = String(own[..<footer]) + "\nSEPARATE PROGRAMS:\n"
        for name in Neighbours.names { text += row(name, Neighbours.summary(of: name) ?? "") }
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
