internal import BinaryPrimitives
internal import CrashLogModel

/// Finds the signal in a program's message.
enum SignalText {
    /// The signal's name in a message: `Got a SIGSEGV while executing native code.`,
    /// `*** SIGABRT received at time=1646847326 ***`.
    static func name(in text: Span<UInt8>) -> String? {
        guard let prefix = text.firstRange(of: "SIG") else { return nil }
        var end = prefix.upperBound
        while let byte = text.at(end), byte &- UInt8(ascii: "A") < 26 { end += 1 }
        guard end - prefix.upperBound > 1, text.at(end).map({ !isDigit($0) && $0 != UInt8(ascii: "_") }) ?? true else { return nil }
        return text.clamped(to: prefix.lowerBound..<end).text
    }

    /// A cause with the message, or `nil` if it names no signal.
    static func cause(_ text: Span<UInt8>) -> CrashCause? { name(in: text).map { cause(signal: $0, text) } }

    static func cause(signal: String?, _ text: Span<UInt8>) -> CrashCause {
        return CrashCause(kind: .signal, type: signal, signal: signal, message: PlainText.line(text.text))
    }

    /// The signal whose description by `strsignal(3)` is in a message: `Segmentation fault on shard 5.`,
    /// `Caught Segmentation fault`. Only signals of crashes are found.
    static func name(ofDescriptionIn text: Span<UInt8>) -> String? {
        for (description, name) in descriptions where text.contains(description) { return name }
        return nil
    }

    private static let descriptions = [
        ("Segmentation fault", "SIGSEGV"), ("segmentation fault", "SIGSEGV"), ("Bus error", "SIGBUS"), ("Aborted", "SIGABRT"),
        ("Aborting", "SIGABRT"),
        ("Abort signal", "SIGABRT"), ("Illegal instruction", "SIGILL"), ("illegal instruction", "SIGILL"),
        ("Floating point exception", "SIGFPE"), ("Arithmetic exception", "SIGFPE"),
    ]
}
