/// How text is set off on a terminal.
package struct Theme: Sendable {
    private let isColored: Bool

    /// Text as it is.
    package static let plain = Theme(isColored: false)
    /// With the escape sequences of ECMA-48 (SGR).
    package static let color = Theme(isColored: true)

    private init(isColored: Bool) { self.isColored = isColored }

    package func heading(_ text: String) -> String { wrapped(text, "1") }
    package func alarm(_ text: String) -> String { wrapped(text, "1;31") }
    package func own(_ text: String) -> String { wrapped(text, "36") }
    package func faint(_ text: String) -> String { wrapped(text, "2") }

    private func wrapped(_ text: String, _ code: String) -> String { isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text }
}
