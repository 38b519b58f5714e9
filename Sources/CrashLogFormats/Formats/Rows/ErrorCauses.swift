internal import BinaryPrimitives

/// The causes that Rust's anyhow and eyre print below an error (`ErrorImpl::debug` of anyhow's `fmt.rs`, `Indented`):
///
///     Caused by:
///         0: mail
///         1: connection is closed
///            after 7 tries                 a message of two lines
///
/// One cause alone has no number. All lines are indented; the next that is not ends them.
struct ErrorCauses: Sendable {
    /// The message of the last cause so far.
    private(set) var innermost: String?
    private var count: UInt64 = 0
    private var lines = 0

    /// - Returns: `false` if the line is not one of the causes.
    mutating func read(_ line: Span<UInt8>) -> Bool {
        let text = line.trimmed()
        guard text.count > 0 else { return true }
        lines += 1
        guard line.indent > 0, lines <= Self.maxLines else { return false }
        var rest = text
        if rest.readDecimal() == count, rest.consume(": ") {
            count += 1
            innermost = rest.text
        } else if let message = innermost {
            innermost = message + "\n" + text.text
        } else {
            innermost = text.text
        }
        return true
    }

    /// Further lines are not read as causes: a row of a stack may look like one.
    private static let maxLines = 64
}
