/// An option of a tool whose place cairn takes, declared once: parsing, help, completions and
/// manual pages all come from here.
package struct ToolOption: Sendable {
    package enum Value: Sendable, Equatable {
        case none
        /// With the word that represents it in help texts.
        case required(String)
        /// As `required`; where it is left out nothing follows the option: `--demangle[=STYLE]`.
        case optional(String)
    }

    /// Names of one letter, without the dash.
    package let letters: String
    /// Long names, without dashes; the first one is the one that is shown.
    package let names: [String]
    package let value: Value
    /// What it does, in one line that begins in lower case.
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

    /// How the tool identifies it: by its first long name, else its letter.
    package var key: String { names.first ?? letters }

    /// Behave as the original does where cairn differs on purpose. An environment variable selects
    /// it too, because programs call these tools with arguments of their own.
    static let strictCompat = ToolOption(
        "", "strict-compat", isHidden: true, help: "be like the original where cairn differs on purpose (also CAIRN_STRICT_COMPAT=1)")
}

/// What people read about a tool whose place cairn takes.
package struct ToolManual: Sendable {
    /// How long names are written.
    package enum Grammar: Sendable {
        /// Two dashes: `--section=NAME`, and letters with one (`getopt_long(3)`).
        case twoDashes
        /// One dash: `-section NAME`; two are taken as well.
        case oneDash
    }

    package let name: String
    /// One line without a full stop, that begins in lower case.
    package let summary: String
    /// What follows the name where it is called.
    package let synopsis: String
    package let grammar: Grammar
    package let options: [ToolOption]
    /// How it differs from the original, and what else is worth knowing; paragraphs.
    package let remarks: [String]
}
