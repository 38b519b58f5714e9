internal import BinaryPrimitives
public import CrashLogModel

extension CrashReport {
    /// Meaning of the cause, in one or two sentences of plain English; `nil` if no rule is known to
    /// be right.
    ///
    /// It follows from the report alone. Each rule is a row of a table in this folder, with the
    /// source of the fact.
    public var meaning: String? { meaningWithSource?.text }

    /// Meaning of the cause, with its source; of a chain of errors that of the first.
    var meaningWithSource: Meaning? {
        var report = self
        if let rootCause { report.cause = rootCause.cause }
        guard let facts = CauseFacts(report) else { return nil }
        for group in CrashReport.meaningGroups {
            if let found = group(facts) { return found }
        }
        return nil
    }

    /// The most specific comes first: the part of the system that ended the process and its reason,
    /// a runtime's own error, a kernel's and a sanitizer's kinds; then the exception and the
    /// signal.
    private static let meaningGroups: [@Sendable (CauseFacts) -> Meaning?] = [
        { AppleTerminations.meaningOfCode($0.cause) },
        { RuntimeMeanings.meaning($0) },
        { $0.isSanitizer ? SanitizerMeanings.meaning($0) : nil },
        { KernelMeanings.meaning($0) },
        { BadAccess.meaning($0) },
        { WatcherMeanings.meaning($0) },
        { AppleTerminations.meaningOfNamespace($0.cause) },
        { AppleExceptions.meaning($0) },
        { SignalCause.meaning($0) },
    ]
}

/// Meaning of a bad access to memory: first of its code, then of the address.
enum BadAccess {
    static func meaning(_ facts: CauseFacts) -> Meaning? {
        guard facts.isBadAccess, !facts.isKernel, !SignalCause.isSent(facts) else { return nil }
        let address = AddressMeanings(facts)?.meaning()
        if let address, address.isWhole { return address.meaning }
        let code = code(facts)
        return code?.adding(address?.meaning) ?? address?.meaning
    }

    private static func code(_ facts: CauseFacts) -> Meaning? {
        if let found = AppleAccessMeanings.codes.meaning(of: facts.accessCode) { return found }
        if facts.signalCode == "SI_KERNEL", facts.family == "x86_64" || facts.family == nil { return SignalMeanings.generalProtection }
        if facts.signalCode == "BUS_ADRERR", !facts.isApple { return SignalMeanings.linuxBus }
        if let found = SignalMeanings.codes.meaning(of: facts.signalCode) { return found }
        if facts.cause.type == "EXC_BAD_ACCESS" {
            return Meaning("The program accessed memory that is not mapped, or that it may not access.", source: "Apple, EXC_BAD_ACCESS")
        }
        if facts.isAccessViolation {
            return Meaning(
                "The program accessed memory that is not mapped, or that it may not access.",
                source: "Microsoft, EXCEPTION_ACCESS_VIOLATION")
        }
        return SignalMeanings.signals.meaning(of: facts.signal ?? "SIGSEGV")
    }
}

/// Meaning of a signal that is not a bad access.
enum SignalCause {
    /// Whether a process sent the signal, so that the event that its number stands for did not
    /// occur.
    static func isSent(_ facts: CauseFacts) -> Bool { sender(facts) != nil }

    private static func sender(_ facts: CauseFacts) -> Meaning? {
        if let found = SignalMeanings.senders.meaning(of: facts.signalCode) { return found }
        if facts.isInSystemCall { return SignalMeanings.sentInSystemCall }
        return SignalMeanings.senderMessages.meaning(of: facts.cause.message)
    }

    static func meaning(_ facts: CauseFacts) -> Meaning? {
        if facts.signal == "SIGABRT" { return SignalMeanings.signals.meaning(of: "SIGABRT") }
        if let found = sender(facts) { return facts.signal != nil || facts.isBadAccess ? found : nil }
        return SignalMeanings.codes.meaning(of: facts.signalCode) ?? SignalMeanings.signals.meaning(of: facts.signal)
    }
}
