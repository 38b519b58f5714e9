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
