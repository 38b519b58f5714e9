internal import BinaryPrimitives
internal import CrashLogModel

/// Why the process ended, from the event's last exception and its `mechanism`.
struct SentryEventCause {
    private let exception: JSONValue?
    private let message: String?

    init(_ exception: JSONValue?, message: String?) {
        self.exception = exception
        self.message = message
    }

    /// Events of 2017 have the parts of `meta` in `mechanism` itself, as `posix_signal` and
    /// `mach_exception`.
    private var signalValue: JSONValue? {
        let mechanism = exception?["mechanism"]
        return mechanism?["meta"]?["signal"] ?? mechanism?["posix_signal"]
    }
    private var machValue: JSONValue? {
        let mechanism = exception?["mechanism"]
        return mechanism?["meta"]?["mach_exception"] ?? mechanism?["mach_exception"]
    }

    /// The signal's name; of a number alone, that of the three that matter to the rule for frame 0.
    var signal: String? {
        if let name = signalValue?["name"]?.string { return name }
        switch (signalValue?["number"] ?? signalValue?["signal"])?.int {
        case 4: return "SIGILL"
        case 10: return "SIGBUS"
        case 11: return "SIGSEGV"
        case let number: return number.map { "\($0)" }
        }
    }

    var cause: CrashCause? {
        guard let exception else {
            guard let message else { return nil }
            return CrashCause(kind: .other, type: "message", message: message)
        }
        let type = exception["type"]?.string
        let isMach = type.map { $0.hasPrefix("EXC_") } ?? false
        let isSignal = type.map { $0.hasPrefix("SIG") } ?? false
        var cause = CrashCause(
            kind: isMach ? .machException : isSignal ? .signal : .languageException, type: type ?? exception["mechanism"]?["type"]?.string,
            signal: signal)
        cause.signalCode = signalValue?["code_name"]?.string
        cause.message = exception["value"]?.string ?? message
        let codes = [machValue?["code"], machValue?["subcode"]].compactMap { $0?.text }
        cause.codes = codes.isEmpty ? nil : codes.joined(separator: ", ")
        if type == "EXC_BAD_ACCESS" {
            let mechanism = exception["mechanism"]
            cause.address = (mechanism?["data"]?["relevant_address"] ?? mechanism?["relevant_address"])?.unsigned.map { RuntimeAddress($0) }
        }
        return cause
    }
}
