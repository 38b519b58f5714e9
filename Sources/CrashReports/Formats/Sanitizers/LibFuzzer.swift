internal import BinaryPrimitives

/// The reports of libFuzzer itself (`FuzzerLoop.cpp`), whose rows the sanitizer that it runs with prints.
public struct LibFuzzer: LineFormat {
    public static let name = "sanitizer-libfuzzer"
    public static let summary = "libFuzzer’s own reports: deadly signals, timeouts, out of memory, early exits"
    public static let triggers = SanitizerTool.libFuzzer.triggers

    private var reader = SanitizerReader(.libFuzzer, format: LibFuzzer.name)

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .libFuzzer ? .certain : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    public mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
