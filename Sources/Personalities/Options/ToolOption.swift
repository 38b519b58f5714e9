internal import Console

/// An option of a tool that cairn replaces, declared once: parsing, help, completions and manual pages all
/// use this declaration.
package struct ToolOption: Sendable {
    package enum Value: Sendable, Equatable {
        case none
        /// Has a value, with its placeholder in help texts.
        case required(String)
        /// As `required`; nothing follows the option if the value is left out: `--demangle[=STYLE]`.
        case optional(String)
    }

    /// Names of one letter, without the dash.
    package let letters: String
    /// Long names, without dashes; the first one is shown.
    package let names: [String]
    package let value: Value
    /// Description in one line that begins in lower case.
    package let help: String
    /// Not in help texts, and its long name may not be cut.
    package let isHidden: Bool

    init(_ letters: String, _ names: String..., value: Value = .none, isHidden: Bool = false, help: String) {
        self.letters = letters
        self.names = names
        self.value = value
        self.isHidden = isHidden
        self.help = help
    }

    /// Identifier of the option: its first long name, else its letter.
    package var key: String { names.first ?? letters }

    /// Behave like the original even where cairn differs on purpose. An environment variable selects it too,
    /// because programs call these tools with arguments of their own.
    static let strictCompat = ToolOption(
        "", "strict-compat", isHidden: true, help: "be like the original where cairn differs on purpose (also CAIRN_STRICT_COMPAT=1)")
}

/// Manual of a tool that cairn replaces.
package struct ToolManual: Sendable {
    /// Notation of long names.
    package enum Grammar: Sendable {
        /// Two dashes: `--section=NAME`, and letters with one (`getopt_long(3)`).
        case twoDashes
        /// One dash: `-section NAME`; two are accepted too.
        case oneDash
    }

    package let name: String
    /// One line without a full stop, that begins in lower case.
    package let summary: String
    /// Arguments after the name on the command line.
    package let synopsis: String
    package let grammar: Grammar
    package let options: [ToolOption]
    /// Differences from the original and further remarks, as paragraphs.
    package let remarks: [String]
}

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
