internal import BinaryPrimitives
internal import CrashLogModel

/// The signal that a sentence of a program names.
enum SignalText {
    /// `Got a SIGSEGV while executing native code.`, `*** SIGABRT received at time=1646847326 ***`
    static func name(in text: Span<UInt8>) -> String? {
        guard let place = text.firstRange(of: "SIG") else { return nil }
        var end = place.upperBound
        while let byte = text.at(end), byte &- UInt8(ascii: "A") < 26 { end += 1 }
        guard end - place.upperBound > 1, text.at(end).map({ !isDigit($0) && $0 != UInt8(ascii: "_") }) ?? true else { return nil }
        return text.clamped(to: place.lowerBound..<end).text
    }

    /// A cause with that sentence, or `nil` if it names no signal.
    static func cause(_ text: Span<UInt8>) -> CrashCause? { name(in: text).map { cause(signal: $0, text) } }

    static func cause(signal: String?, _ text: Span<UInt8>) -> CrashCause {
        return CrashCause(kind: .signal, type: signal, signal: signal, message: PlainText.line(text.text))
    }

    /// `Segmentation fault on shard 5.`, `Caught Segmentation fault`: the words of `strsignal(3)`
    /// for the signals of crashes.
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
