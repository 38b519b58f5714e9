internal import BinaryPrimitives

/// The backtrace that an X server (Xorg, Xwayland, Xvfb, Xephyr) writes to its log when it crashes, or when its event queue overflows:
///
///     (EE) Backtrace:
///     (EE) 0: /usr/libexec/Xorg (OsLookupColor+0x139) [0x59ab89]
///     (EE) 1: /lib64/libc.so.6 (__restore_rt+0x0) [0x7f2b13545b1f]
///     (EE)
///     (EE) Received signal 11 sent by process 4025, uid 0
///     (EE)
///     Fatal server error:
///     (EE) Caught signal 11 (Segmentation fault). Server aborting
public struct XorgBacktrace: LineFormat {
    public static let name = "xorg-backtrace"
    public static let summary = "X servers’ backtraces: Xorg, Xwayland, Xvfb"
    public static let triggers = ["Backtrace:"]

    private var hasBegun = false
    private var rows: [(row: XorgRow, place: Range<Int>)] = []
    private var cause: CrashCause?
    private var registers: [(name: String, value: UInt64)] = []
    /// Lines since the last that was understood.
    private var strange = 0
    private static let patience = 8

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        var text = line.trimmed()
        let isError = text.take("(EE)")
        return text.trimmed().equals("Backtrace:") ? isError ? .certain : .possible : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if XorgBacktrace.begins(line) != .none {
            guard !hasBegun else { return .rejected }
            hasBegun = true
            return .more
        }
        if let row = XorgRow(line), hasBegun {
            if row.index == 0, !row.isInlined, rows.contains(where: { !$0.row.isInlined }) { return .rejected }
            guard rows.count < Limits.standard.framesPerThread else { return .rejected }
            rows.append((row, place))
            strange = 0
            return .more
        }
        var text = line.trimmed()
        if text.take("(EE)") { text = text.trimmed() }
        if text.count == 0 { return .unknown }
        // Without a row below it, the heading was another program's.
        guard !rows.isEmpty else { return .rejected }
        if text.hasPrefix("Caught signal ") || text.hasPrefix("Server terminated ") {
            takeSignal(text.from("Caught signal ".utf8.count))
            return .done
        }
        if takeReason(text) {
            strange = 0
            return .more
        }
        strange += 1
        return strange <= XorgBacktrace.patience ? .unknown : .rejected
    }

    /// What the handler says behind the stack (`OsSigHandler` in `os/osinit.c`).
    private mutating func takeReason(_ text: Span<UInt8>) -> Bool {
        if text.hasPrefix("Received signal ") {
            takeSignal(text.from("Received signal ".utf8.count))
            cause?.message = text.text
            return true
        }
        for word in [
            "Segmentation fault at address ", "Bus error at address ", "Illegal instruction at address ",
            "Floating point exception at address ",
        ]
        where text.hasPrefix(word) {
            var rest = text.from(word.utf8.count)
            var reason = cause ?? CrashCause(kind: .signal)
            reason.type = reason.type ?? String(word.dropLast(" at address ".utf8.count))
            reason.address = rest.takeAddress().map { RuntimeAddress($0) }
            cause = reason
            return true
        }
        if text.hasPrefix("Registers at frame #") { return true }
        // `rax: 0x0`
        var rest = text
        let name = rest.takeToken()
        rest.skipBlanks()
        if name.count > 1, name.at(name.count - 1) == UInt8(ascii: ":"), let value = rest.takeAddress(), rest.count == 0 {
            if registers.count < 64 { registers.append((name.upTo(name.count - 1).text, value)) }
            return true
        }
        return text.equals("Fatal server error:")
    }

    private mutating func takeSignal(_ text: Span<UInt8>) {
        var rest = text
        guard let number = rest.takeDecimal() else { return }
        var reason = cause ?? CrashCause(kind: .signal)
        reason.signal = "\(number)"
        reason.type = reason.type ?? SignalName.posix(number) ?? "signal \(number)"
        cause = reason
    }

    // MARK: The report

    public mutating func finish() -> [CrashReport] {
        guard !rows.isEmpty else { return [] }
        var report = CrashReport(format: XorgBacktrace.name)
        report.process.name = rows.lazy.compactMap(\.row.path).first.map(lastPathComponent)
        report.cause = cause ?? CrashCause(kind: .other)
        if report.cause?.type == nil { report.cause?.type = "backtrace" }
        var images = ImageTable()
        var indices: [String: Int] = [:]
        // For each path the first row that tells where it is loaded.
        var placed: [String: Int] = [:]
        for (number, entry) in rows.enumerated() {
            if let path = entry.row.path, entry.row.base != nil, placed[path] == nil { placed[path] = number }
        }
        for path in rows.compactMap(\.row.path) where indices[path] == nil && path != "(vdso)" && !images.isFull {
            var image = BinaryImage(file: path)
            image.base = placed[path].flatMap { rows[$0].row.base.map { RuntimeAddress($0) } }
            indices[path] = images.images.count
            images.add(image)
        }
        report.images = images.images
        var isAfterSignal = false
        let frames = rows.map { entry in
            var frame = Frame(
                index: entry.row.index, kind: .returnAddress, address: entry.row.address.map { RuntimeAddress($0) }, place: entry.place)
            frame.printed = entry.row.printed
            frame.isInlined = entry.row.isInlined
            frame.imageName = entry.row.path
            frame.image = entry.row.path.flatMap { indices[$0] }
            let isHandler = XorgBacktrace.isSignalFrame(entry.row)
            if isHandler || isAfterSignal { frame.kind = .programCounter }
            if !entry.row.isInlined { isAfterSignal = isHandler }
            // Without a base, the nearest symbol and the distance to it are the place, whichever function it is really in.
            if let image = frame.image, report.images[image].base == nil { frame.imagePlace = entry.row.symbol.map { .symbol($0) } }
            return frame
        }
        var thread = ThreadTrace(index: 0, crashed: true, frames: frames)
        if !registers.isEmpty { thread.registers = RegisterState(values: registers) }
        report.threads = [thread]
        return [report]
    }

    /// All rows are return addresses, the first included: it is the handler, which called the walker. Only the frame that returns from a signal is at its own first instruction, and
    /// the one below it is where the signal struck.
    private static func isSignalFrame(_ row: XorgRow) -> Bool {
        guard row.address != nil else { return true }
        guard let symbol = row.symbol else { return false }
        return symbol.offset == 0 && ["__restore_rt", "__restore", "__kernel_rt_sigreturn", "__kernel_sigreturn"].contains(symbol.name)
    }
}
