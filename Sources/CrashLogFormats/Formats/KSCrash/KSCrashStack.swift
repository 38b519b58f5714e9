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
        // Of a stack too long for it, KSCrash keeps the outermost frames and counts the others.
        let skipped = backtrace?["skipped"]?.int ?? 0
        if skipped > 0, let place = backtrace?["skipped"]?.range {
            frames.append(Frame(index: 0, kind: .omitted(count: skipped), address: nil, place: place))
        }
        let first = max(0, skipped)
        for (index, element) in (backtrace?["contents"]?.elements ?? []).prefix(Limits.standard.framesPerThread).enumerated() {
            frames.append(KSCrashStack.frame(element, index: first.addingReportingOverflow(index).partialValue))
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

    /// `{"object_name":"App","object_addr":4360257536,"symbol_name":"main","symbol_addr":4360268640,"instruction_addr":4360268755}`;
    /// numbers may be strings with `0x`.
    private static func frame(_ element: JSONValue, index: Int) -> Frame {
        let address = element["instruction_addr"]?.unsigned
        var frame = Frame(index: index, kind: .returnAddress, address: address.map { RuntimeAddress($0) }, place: element.range)
        frame.imageName = element["object_name"]?.string
        frame.imageOffset = JSONFrame.distance(of: address, from: element["object_addr"]).map { ImageOffset($0) }
        frame.isInlined = element["inlined"]?.isTrue ?? false
        var printed = PrintedSymbol()
        printed.name = element["symbol_name"]?.string.flatMap { isName($0) ? $0 : nil }
        if printed.name != nil { printed.offset = JSONFrame.distance(of: address, from: element["symbol_addr"]) }
        printed.location = element["line_of_code"]?.string.flatMap(location)
        if printed != PrintedSymbol() { frame.printed = printed }
        return frame
    }

    /// `dladdr` names an address in an image without symbols after the image's header, and Apple's
    /// own libraries after nothing.
    static func isName(_ name: String) -> Bool {
        !["", "<redacted>", "_mh_execute_header", "__mh_execute_header", "_mh_dylib_header"].contains(name)
    }

    /// `/src/main.m:94`, as `KSCrash+Edits` writes it.
    static func location(_ text: String) -> SourceLocation? {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let line = Int(text[text.utf8.index(after: colon)...]) else {
            return nil
        }
        return SourceLocation(file: String(text[..<colon]), line: line)
    }

    static func programCounter(_ registers: JSONValue?) -> UInt64? {
        for name in ["pc", "rip", "eip"] {
            if let value = registers?[name]?.unsigned { return value }
        }
        return nil
    }
}
