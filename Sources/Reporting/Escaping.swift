internal import BinaryPrimitives

/// Text from a log or a binary, made safe for where it is written.
package enum Escaping {
    /// A JSON string with its quotation marks.
    package static func json(_ text: String, to output: inout [UInt8]) { JSONString.append(text, to: &output) }

    /// One line for a terminal: what could move its cursor or hide becomes `\u{1b}` and the like,
    /// line endings `\n`.
    package static func line(_ text: String) -> String { PlainText.line(text) }
}
