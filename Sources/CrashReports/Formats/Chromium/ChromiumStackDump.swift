internal import BinaryPrimitives

/// Stacks that Chromium, its derivatives and V8's shell print: after a failed check, in the handler of a signal, and where a program asks for one.
///
///     [13906:13906:0721/063600:371439759870:FATAL:render_process_host_impl.cc(2141)] Check failed: host->listeners_.IsEmpty().
///     #0 0x0000006a3ab0 base::debug::StackTrace::StackTrace()
///     …
///     Received signal 11 SEGV_MAPERR 7f6b0c580000
///     ==== C stack trace ===============================
///      [0x7f6b13882bf1]
///       r8: 00007f48990abcc9  r9: …
///     [end of stack trace]
///
/// Written by `base/debug/stack_trace_posix.cc`, `stack_trace_win.cc` and `base/logging.cc`, and by V8's copies in `src/base`. There is no list of images: of a
/// position-independent program only the rows that name their file can be answered.
public struct ChromiumStackDump: LineFormat {
    public static let name = "chromium-misc"
    public static let summary = "Chromium’s and V8’s stack dumps: failed checks, signals"
    public static let triggers = [
        ":FATAL:", "Received signal ", "==== C stack trace", "# Fatal error in ", "#0 0x", "base::debug::CollectStackTrace",
        "base::debug::StackTrace",
        "GetHandleVerifier [0x",
    ]

    private var cause: CrashCause?
    private var process = ProcessDescription()
    private var frames: [Frame] = []
    private var rows: [(path: String, address: UInt64)?] = []
    private var registers: [(name: String, value: UInt64)] = []
    private var style: ChromiumRow.Style?
    private var hasBegun = false
    /// Lines since the last that was understood.
    private var strange = 0
    /// Between a check's message and its stack, and inside a stack, other processes of the browser may write.
    private static let patience = 16

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = line.trimmed()
        if text.hasPrefix("==== C stack trace ====") { return .certain }
        if text.hasPrefix("# Fatal error in ") { return .possible }
        if text.hasPrefix("Received signal ") { return signal(text) == nil ? .none : signal(text)?.codes == nil ? .possible : .certain }
        if fatal(text) != nil { return .possible }
        guard let row = ChromiumRow(line) else { return .none }
        switch row.style {
        // A sanitizer's and a debugger's rows are indented, have two blanks, or `in`.
        case .numberSign:
            guard row.index == 0, !text.contains(" in ") else { return .none }
            return row.module != nil || row.printed?.name?.hasPrefix("base::debug::") == true || text.hasSuffix(" <unknown>")
                ? .certain : .possible
        case .brackets:
            return row.printed?.name?.hasPrefix("base::debug::") == true
                ? .certain : text.contains("GetHandleVerifier [0x") ? .possible : .none
        case .apple, .colon: return .none
        }
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if let row = ChromiumRow(line) { return take(row, at: place) }
        if text.count == 0 { return .unknown }
        if takeHeading(text) {
            // What is printed next is another stack.
            guard frames.isEmpty else { return .rejected }
            hasBegun = true
            strange = 0
            return .more
        }
        guard hasBegun else { return .rejected }
        if text.hasPrefix("[end of stack trace]") { return .done }
        if takeRegisters(text) || isKnown(text) {
            strange = 0
            return .more
        }
        strange += 1
        return strange <= ChromiumStackDump.patience ? .unknown : .rejected
    }

    private mutating func take(_ row: ChromiumRow, at place: Range<Int>) -> LineVerdict {
        // Rows of another kind, or that begin again, are not this stack's.
        if let style, style != row.style { return .unknown }
        if let index = row.index, index == 0, !row.isInlined, frames.contains(where: { !$0.isInlined }) { return .rejected }
        guard frames.count < Limits.standard.framesPerThread else { return .rejected }
        hasBegun = true
        style = row.style
        strange = 0
        var frame = Frame(
            index: row.index ?? frames.last.map { $0.index + ($0.isInlined ? 0 : 1) } ?? 0, kind: .returnAddress,
            address: row.address.map { RuntimeAddress($0) }, place: place)
        frame.printed = row.printed
        frame.isInlined = row.isInlined
        frame.imageName = row.imageName ?? row.module.map { lastPathComponent($0.path) }
        frames.append(frame)
        rows.append(row.module)
        return .more
    }

    // MARK: What happened

    private mutating func takeHeading(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("==== C stack trace ====") { return true }
        if text.hasPrefix("Received signal "), let signal = ChromiumStackDump.signal(text) {
            guard frames.isEmpty else { return true }
            cause = signal
            return true
        }
        if text.hasPrefix("# Fatal error in ") {
            guard frames.isEmpty else { return true }
            cause = CrashCause(kind: .runtimeError)
            cause?.type = "V8 fatal error"
            cause?.codes = text.from("# Fatal error in ".utf8.count).text
            return true
        }
        guard let fatal = ChromiumStackDump.fatal(text) else { return false }
        guard frames.isEmpty else { return true }
        cause = CrashCause(kind: .runtimeError)
        cause?.type = "FATAL"
        cause?.codes = fatal.place
        cause?.message = fatal.message
        process.pid = fatal.pid
        return true
    }

    /// V8 tells the reason in lines with a `#`; between them and a stack stand words about the sandbox and control flow.
    private mutating func isKnown(_ text: Span<UInt8>) -> Bool {
        if text.at(0) == UInt8(ascii: "#"), frames.isEmpty {
            let words = text.from(1).trimmed()
            if words.count > 0, cause != nil, cause?.message == nil { cause?.message = words.text }
            return true
        }
        return text.hasPrefix("CFI: ") || text.hasPrefix("https://www.chromium.org/") || text.equals("Backtrace:")
            || text.equals("Stacktrace:")
            || text.hasPrefix("Calling _exit(1)") || text.hasPrefix("Task trace:")
    }

    /// `Received signal 11 SEGV_MAPERR 7f6b0c580000`, `Received signal 6`; not what other programs say of a signal in more words.
    private static func signal(_ text: Span<UInt8>) -> CrashCause? {
        var rest = text.from("Received signal ".utf8.count)
        guard let number = rest.takeDecimal(), number < 128 else { return nil }
        var reason = CrashCause(kind: .signal)
        reason.signal = "\(number)"
        reason.type = SignalName.posix(number) ?? "signal \(number)"
        rest = rest.trimmed()
        guard rest.count > 0 else { return reason }
        let code = rest.takeToken()
        rest.skipBlanks()
        guard code.equals("<unknown>") || code.firstIndex(of: UInt8(ascii: "_")) != nil, let address = rest.takeHexadecimal(),
            rest.count == 0
        else {
            return nil
        }
        reason.codes = code.text
        reason.address = RuntimeAddress(address)
        return reason
    }

    /// `[13906:13906:0721/063600:371439759870:FATAL:render_process_host_impl.cc(2141)] Check failed: …`, without processes `[0908/073950.845878:FATAL:base/feature_list.cc:467] …`
    private static func fatal(_ text: Span<UInt8>) -> (pid: Int?, place: String, message: String)? {
        guard text.at(0) == UInt8(ascii: "["), let mark = text.firstRange(of: ":FATAL:"),
            let close = text.firstRange(of: "] ", from: mark.upperBound)
        else { return nil }
        var rest = text.from(1)
        var pid = rest.takeDecimal()
        if rest.at(0) != UInt8(ascii: ":") { pid = nil }
        return (
            pid.flatMap { Int(exactly: $0) }, text.clamped(to: mark.upperBound..<close.lowerBound).text, text.from(close.upperBound).text
        )
    }

    /// `  r8: 00007f48990abcc9  r9: 0000000000000000 r10: …`
    private mutating func takeRegisters(_ text: Span<UInt8>) -> Bool {
        var rest = text
        var taken = 0
        while rest.count > 0 {
            let name = rest.takeToken()
            rest.skipBlanks()
            let word = rest.takeToken()
            rest.skipBlanks()
            guard name.count >= 3, name.count <= 4, name.at(name.count - 1) == UInt8(ascii: ":"), word.count == 8 || word.count == 16 else {
                break
            }
            var digits = word
            guard let value = digits.takeHexadecimal(), digits.count == 0 else { break }
            if registers.count < 64 { registers.append((name.upTo(name.count - 1).text, value)) }
            taken += 1
        }
        return taken > 0
    }

    // MARK: The report

    /// `backtrace(3)` and its like give return addresses, the first included: it is in the function that asked. Below the frame of a signal stands what it interrupted; its address is the
    /// one in the instruction pointer. The number behind a file's name is that of the byte before, which `google::Symbolize` is asked for, whatever the frame.
    public mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: ChromiumStackDump.name)
        report.process = process
        report.cause = cause ?? CrashCause(kind: .other)
        if report.cause?.type == nil { report.cause?.type = "stack dump" }
        var images = ImageTable()
        let ip = registers.first { ["ip", "rip", "eip"].contains($0.name) }?.value
        for index in frames.indices {
            let isInterrupted = ip != nil && frames[index].address?.value == ip
            frames[index].kind = isInterrupted ? .programCounter : rows[index] == nil ? .returnAddress : .exact
            guard let module = rows[index] else { continue }
            frames[index].imagePlace = .linkAddress(LinkAddress(isInterrupted ? module.address &+ 1 : module.address))
            frames[index].image = images.index(ofImageNamed: lastPathComponent(module.path), id: nil)
        }
        report.images = images.images
        var thread = ThreadTrace(index: 0, crashed: true, frames: frames)
        if !registers.isEmpty { thread.registers = RegisterState(values: registers) }
        report.threads = [thread]
        return [report]
    }
}
