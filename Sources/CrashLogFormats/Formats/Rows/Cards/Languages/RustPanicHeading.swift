internal import BinaryPrimitives
internal import CrashLogModel

/// The first line of a panic:
///
///     thread 'main' (3429) panicked at src/main.rs:1:33:                  since Rust 1.73; the thread's number since 1.91
///     thread '<unnamed>' panicked at 'it works!', src/lib.rs:22:17        before
struct RustPanicHeading {
    var threadName: String
    var cause: CrashCause

    init?(_ text: Span<UInt8>) {
        var rest = text
        guard rest.take("thread '"), let marker = rest.firstRange(of: " panicked at ") else { return nil }
        var head = rest.upTo(marker.lowerBound)
        if head.hasSuffix(")"), let open = head.lastRange(of: "' (") { head = head.upTo(open.lowerBound + 1) }
        guard head.hasSuffix("'") else { return nil }
        threadName = head.upTo(head.count - 1).text
        cause = CrashCause(kind: .languageException, type: "panic")
        rest = rest.from(marker.upperBound)
        // The place is `codes`: where the panic was raised, as the program says it.
        if rest.take("'"), let close = rest.lastRange(of: "', ") {
            cause.message = rest.upTo(close.lowerBound).text
            cause.codes = rest.from(close.upperBound).trimmed().text
        } else {
            cause.codes = (rest.hasSuffix(":") ? rest.upTo(rest.count - 1) : rest).trimmed().text
        }
    }
}
