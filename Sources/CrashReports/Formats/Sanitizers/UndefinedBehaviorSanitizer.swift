internal import BinaryPrimitives

/// The reports of UndefinedBehaviorSanitizer and of clang's control flow integrity (`ubsan_diag.cpp`): one line, with a stack where `print_stacktrace=1` asks for it.
/// In programs that are not otherwise sanitized it reports signals as AddressSanitizer does.
public struct UndefinedBehaviorSanitizer: LineFormat {
    public static let name = "sanitizer-ubsan"
    public static let summary = "UndefinedBehaviorSanitizer’s runtime errors, with and without a stack; control flow integrity"
    public static let triggers = SanitizerTool.undefinedBehavior.triggers + [": runtime error: "]

    private var reader = SanitizerReader(.undefinedBehavior, format: UndefinedBehaviorSanitizer.name)

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .undefinedBehavior || UndefinedBehaviorLine(plain) != nil ? .certain : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    public mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
