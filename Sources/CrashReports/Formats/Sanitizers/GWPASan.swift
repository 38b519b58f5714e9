internal import BinaryPrimitives

/// The reports of GWP-ASan, the sampling guard of production allocators (`gwp_asan/optional/segv_handler_posix.cpp`):
///
///     *** GWP-ASan detected a memory error ***
///     Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:
///       #10 ./a.out(main+0x9f) [0x55585c0af7cf]
///
///     0x7feccab26000 was deallocated by thread 31027 here:
///       #7 ./a.out(main+0x83) [0x55585c0af7b3]
///     *** End GWP-ASan report ***
///
/// Its rows are those of `backtrace_symbols(3)`; where compiler-rt's own printer writes them, they are AddressSanitizer's. (Android tells GWP-ASan's findings in tombstones.)
public struct GWPASan: LineFormat {
    public static let name = "sanitizer-gwp-asan"
    public static let summary = "GWP-ASan’s reports: errors that production allocators catch by sampling"
    public static let triggers = ["*** GWP-ASan detected a memory error ***"]

    private var hasBegun = false
    private var message: String?
    private var thread: Int?
    private var stacks: [ThreadTrace] = []
    private var images = SanitizerImages()

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        line.trimmed().equals("*** GWP-ASan detected a memory error ***") ? .certain : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict {
        let text = line.trimmed()
        if GWPASan.begins(text) == .certain {
            guard !hasBegun else { return .rejected }
            hasBegun = true
            return .more
        }
        if text.hasPrefix("*** End GWP-ASan report ***") { return .done }
        // `...` is the documentation's.
        if text.count == 0 || text.equals("...") || text.hasPrefix("<unknown (") { return .more }
        if text.hasSuffix(" here:") { return takeHeading(text) }
        return takeRow(line, at: place) ? .more : .unknown
    }

    /// `Use after free at 0x7feccab26000 (0 bytes into a 41-byte allocation at 0x7feccab26000) by thread 31027 here:`, `0x7feccab26000 was allocated by thread 31027 here:`
    private mutating func takeHeading(_ text: Span<UInt8>) -> LineVerdict {
        guard stacks.count < Limits.standard.threads else { return .rejected }
        if stacks.isEmpty {
            message = text.upTo(text.count - " here:".utf8.count).text
            if let mark = text.lastRange(of: " by thread ") {
                var digits = text.from(mark.upperBound)
                thread = digits.takeDecimal().flatMap { Int(exactly: $0) }
            }
        }
        stacks.append(ThreadTrace(index: stacks.count, name: text.text))
        return .more
    }

    private mutating func takeRow(_ line: Span<UInt8>, at place: Range<Int>) -> Bool {
        guard let last = stacks.indices.last else { return false }
        var frame: Frame
        if let row = GWPASanRow(line) {
            frame = row.frame(at: place)
            frame.image = row.path.flatMap { images.index(ofFile: $0) }
        } else if let row = SanitizerRow(line) {
            frame = row.frame(at: place)
            frame.image = row.module.flatMap { images.index(of: $0) }
        } else {
            return false
        }
        if stacks[last].frames.count < Limits.standard.framesPerThread { stacks[last].frames.append(frame) }
        return true
    }

    public mutating func finish() -> [CrashReport] {
        guard stacks.contains(where: { !$0.frames.isEmpty }) else { return [] }
        var report = CrashReport(format: GWPASan.name)
        report.cause = cause
        report.images = images.images
        for (index, stack) in stacks.enumerated() {
            var stack = stack
            GWPASan.decideKinds(&stack.frames)
            SanitizerInlining.mark(&stack.frames)
            if index == 0 {
                report.threads = [ThreadTrace(index: thread ?? 0, crashed: true, frames: stack.frames)]
            } else {
                stack.index = index - 1
                report.additionalBacktraces.append(stack)
            }
        }
        return [report]
    }

    private var cause: CrashCause {
        var cause = CrashCause(kind: .runtimeError)
        guard let message else { return cause }
        cause.message = message
        let bytes = Array(message.utf8)
        if let mark = bytes.span.firstRange(of: " at 0x") {
            cause.type = bytes.span.upTo(mark.lowerBound).text
            var rest = bytes.span.from(mark.upperBound)
            cause.address = rest.takeHexadecimal().map { RuntimeAddress($0) }
        } else {
            cause.type = message
        }
        return cause
    }

    /// What `backtrace(3)` gave is raw: all return addresses, the first within GWP-ASan itself. (The frame that faulted is one of them; no row tells which.) Rows of compiler-rt's
    /// printer are adjusted already.
    private static func decideKinds(_ frames: inout [Frame]) {
        for index in frames.indices where frames[index].kind != .exact { frames[index].kind = .returnAddress }
    }

    /// GWP-ASan knows no files. What the answer says stands behind the row as sanitizers write it, ` in main /tmp/buggy_code.cpp:8:3`, and all that the row said stays; inlined calls
    /// are further rows above with the frame's number.
    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        let own = answers.filter { $0.frame.kind == .returnAddress }
        let edits = AnswerFilter.edits(of: report, answers: own, in: log) { frame, answer, log in
            guard let row = GWPASanRow(log.clamped(to: frame.place)) else { return nil }
            let line = LogLine(around: frame.place, in: log)
            let start = frame.place.lowerBound + row.headEnd
            let head = log.clamped(to: line.range.lowerBound..<start).copied()
            var replacement: [UInt8] = []
            for (index, function) in answer.functions.enumerated() {
                if index > 0 { replacement += line.ending + head }
                replacement += Array((" in " + SanitizerEdits.words(function)).utf8)
            }
            return TextEdit(range: start..<frame.place.lowerBound + row.end, replacement: replacement)
        }
        let others = answers.filter { $0.frame.kind != .returnAddress }
        return (edits + SanitizerEdits.edits(of: report, answers: others, in: log)).sorted { $0.range.lowerBound < $1.range.lowerBound }
    }
}
