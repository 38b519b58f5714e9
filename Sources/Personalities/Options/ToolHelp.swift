internal import Console

/// A tool's help as text, from its declared options.
package struct ToolHelp {
    private let manual: ToolManual

    package init(_ manual: ToolManual) { self.manual = manual }

    /// First line of `--help`, also printed after wrong usage.
    package var usage: String { "Usage: \(manual.name) \(manual.synopsis)\n" }

    package var text: String {
        let rows = manual.options.filter { !$0.isHidden }.map { (self.names(of: $0), $0.help) }
        let width = min(30, rows.map(\.0.count).max() ?? 0)
        var text = usage + " \(manual.summary.prefix(1).uppercased())\(manual.summary.dropFirst()).\n The options are:\n"
        for (names, help) in rows {
            text +=
                "  \(names)"
                + (names.count > width ? "\n  " + String(repeating: " ", count: width) : String(repeating: " ", count: width - names.count))
            text += "  \(help.prefix(1).uppercased())\(help.dropFirst())\n"
        }
        return text + "cairn \(cairnVersion), in place of \(manual.name)\n"
    }

    /// `-j --section=<name>`.
    private func names(of option: ToolOption) -> String {
        let dashes = manual.grammar == .twoDashes ? "--" : "-"
        let letters = option.letters.unicodeScalars.prefix(1).map { "-\($0)" }
        let name = option.names.prefix(1).map { dashes + $0 }
        let names = (letters + name).joined(separator: " ")
        let separator = manual.grammar == .twoDashes && !name.isEmpty ? "=" : " "
        switch option.value {
        case .none: return names
        case .required(let word): return "\(names)\(separator)<\(word.lowercased())>"
        case .optional(let word): return "\(names)[\(separator)\(word.lowercased())]"
        }
    }
}
