internal import BinaryPrimitives

/// What Julia's runtime prints when a signal ends it (`jl_critical_error` of `src/signal-handling.c`):
///
///     [4242] signal (11.1): Segmentation fault
///     in expression starting at REPL[3]:1
///     moor at /opt/lib/libharbour.so (unknown line)
///     unknown function (ip: 0x7fae1b1868a2)
///     Allocations: 14513031 (Pool: 14512010; Big: 1021); GC: 10
///
/// Only rows without a name have an address, and where their library lies the log does not tell.
public struct JuliaCrash: LineFormat {
    public static let name = "julia-crash"
    public static let summary = "Julia’s runtime: signal (11.1): Segmentation fault"
    public static let triggers = ["signal ("]

    private var cause: CrashCause?
    private var pid: Int?
    private var frames: [Frame] = []
    private var images = ImageTable()

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence { heading(line) == nil ? .none : .certain }

    /// `[4242] signal (11.1): Segmentation fault`: since 1.9 with `si_code`; before 1.8 without the process.
    private static func heading(_ line: Span<UInt8>) -> (cause: CrashCause, pid: Int?)? {
        var rest = line.trimmed()
        var pid: Int?
        if rest.take("[") {
            guard let number = rest.takeDecimal(), rest.take("] ") else { return nil }
            pid = Int(exactly: number)
        }
        guard rest.take("signal ("), let number = rest.takeDecimal(), number < 65 else { return nil }
        var cause = CrashCause(kind: .signal)
        cause.signal = SignalName.posix(number) ?? "\(number)"
        cause.type = cause.signal
        if rest.take(".") {
            let minus = rest.take("-")
            guard let code = rest.takeDecimal() else { return nil }
            cause.codes = "code \(minus ? "-" : "")\(code)"
        }
        guard rest.take("): "), rest.count > 0 else { return nil }
        cause.message = rest.text
        return (cause, pid)
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        if let heading = JuliaCrash.heading(line) {
            guard cause == nil else { return .rejected }
            (cause, pid) = heading
            return .more
        }
        guard cause != nil else { return .rejected }
        let text = line.trimmed()
        if text.hasPrefix("Allocations: ") { return .done }
        if text.hasPrefix("in expression starting at ") || text.hasPrefix("while loading ") { return .more }
        if text.count == 0 { return .unknown }
        guard let row = JuliaRow(line), frames.count < Limits.standard.framesPerThread else { return frames.isEmpty ? .unknown : .rejected }
        add(row, at: place)
        return .more
    }

    /// The address is the one to look up: the runtime takes one off return addresses, before 1.6 when it prints them (`ip -= 1`), since then when it walks the stack (`call_ip` of `jl_unw_stepn`).
    private mutating func add(_ row: JuliaRow, at place: Range<Int>) {
        var frame = Frame(
            index: frames.count { !$0.isInlined }, kind: .exact, address: row.address.map { RuntimeAddress($0) }, place: place)
        frame.printed = row.printed
        frame.isInlined = row.isInlined
        if let library = row.library {
            frame.imageName = lastPathComponent(library)
            frame.image = index(of: library)
        }
        frames.append(frame)
    }

    private mutating func index(of library: String) -> Int? {
        let image = BinaryImage(file: library)
        if let known = images.images.firstIndex(of: image) { return known }
        guard !images.isFull else { return nil }
        images.add(image)
        return images.images.count - 1
    }

    public mutating func finish() -> [CrashReport] {
        guard !frames.isEmpty else { return [] }
        var report = CrashReport(format: JuliaCrash.name)
        report.cause = cause
        report.process.pid = pid
        report.threads = [ThreadTrace(index: 0, crashed: true, frames: frames)]
        report.images = images.images
        return [report]
    }

    /// The row becomes what the runtime would have printed, inlined calls above it; the address stays behind.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        AnswerFilter.edits(of: report, answers: answers, in: log) { frame, answer, log in
            guard let address = frame.address, frame.printed == nil else { return nil }
            let line = LogLine(around: frame.place, in: log)
            let head = log.clamped(to: line.range.lowerBound..<frame.place.lowerBound).copied()
            var replacement: [UInt8] = []
            for function in answer.functions {
                if !replacement.isEmpty { replacement += line.ending + head }
                let place = function.location.map { SourcePlaceText.text($0) } ?? (answer.imageName + " (unknown line)")
                let words = AppleSymbolText.oneLine(function.name) + " at " + place + (function.isInlined ? " [inlined]" : "")
                replacement += Array((words + " (ip: 0x" + hexadecimal(address.value, digits: 0) + ")").utf8)
            }
            return TextEdit(range: frame.place, replacement: replacement)
        }
    }
}
