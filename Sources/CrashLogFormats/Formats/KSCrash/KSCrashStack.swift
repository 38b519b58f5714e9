internal import BinaryPrimitives
internal import CrashLogModel

/// Threads and frames of a KSCrash report.
struct KSCrashStack {
    /// `mach`, `signal`, `nsexception`, `cpp_exception`, `user`, `deadlock`, …
    private let errorType: String?
    private let signal: String?

    init(error: JSONValue?) {
        errorType = error?["type"]?.string
        signal = error?["signal"]?["name"]?.string ?? error?["signal"]?["signal"]?.int.flatMap { KSCrashStack.crashSignals[$0] }
    }

    /// The signals of a crash on Apple's systems, whose handler leaves a frame of its own
    /// (`sys/signal.h`).
    private static let crashSignals = [4: "SIGILL", 10: "SIGBUS", 11: "SIGSEGV"]

    func thread(_ element: JSONValue, index: Int) -> ThreadTrace {
        var thread = ThreadTrace(
            index: element["index"]?.int ?? index, name: element["name"]?.string ?? element["dispatch_queue"]?.string,
            crashed: element["crashed"]?.isTrue ?? false)
        let backtrace = element["backtrace"]
        let registers = element["registers"]?["basic"]
        thread.registers = RegisterState(members: registers)
        var frames: [Frame] = []
        // If a stack is too long, KSCrash keeps the outermost frames and counts the others.
        let skipped = backtrace?["skipped"]?.int ?? 0
        if skipped > 0, let range = backtrace?["skipped"]?.range {
            frames.append(Frame(index: 0, kind: .omitted(count: skipped), address: nil, range: range))
        }
        let first = max(0, skipped)
        for (index, element) in (backtrace?["contents"]?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated() {
            frames.append(JSONFrameKeys.ksCrash.frame(element, index: first.addingReportingOverflow(index).partialValue))
        }
        let isStackOfCode = registers == nil && (element["current_thread"]?.isTrue ?? false || thread.crashed && isException)
        decideKinds(&frames, programCounter: KSCrashStack.programCounter(registers), isTakenByCode: isStackOfCode)
        thread.frames = frames
        return thread
    }

    private var isException: Bool { errorType.map { ["nsexception", "cpp_exception", "user"].contains($0) } ?? false }

    /// Decides which frames are return addresses. KSCrash writes raw addresses.
    ///
    /// Frame 0 of a thread that was walked from its registers is its program counter. It is a
    /// return address, as all others are, where
    /// - code took the stack (`callStackReturnAddresses` of an exception, `__cxa_throw`'s hook, a
    ///   report that the program requested): such a thread has no `registers`;
    /// - frames above it were left out (`skipped`);
    /// - it is not what the program counter's register says, after SIGILL, SIGBUS or SIGSEGV: there
    ///   KSCrash has dropped the signal handler's frame, and with it the crashed one. (The
    ///   heuristic, and its three signals, are those of Sentry's symbolic,
    ///   `InstructionInfo::should_adjust_caller`.)
    private func decideKinds(_ frames: inout [Frame], programCounter: UInt64?, isTakenByCode: Bool) {
        let isOther = programCounter.map { counter in frames.first?.address.map { $0.value != counter } ?? true } ?? false
        let isCrashSignal = signal.map { ["SIGILL", "SIGBUS", "SIGSEGV"].contains($0) } ?? false
        frames.decideKinds(isFirstExact: !isTakenByCode && !(isOther && isCrashSignal))
    }

    static func programCounter(_ registers: JSONValue?) -> UInt64? {
        for name in ["pc", "rip", "eip"] {
            if let value = registers?[name]?.unsigned { return value }
        }
        return nil
    }
}
