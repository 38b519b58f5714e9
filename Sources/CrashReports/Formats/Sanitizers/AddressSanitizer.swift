internal import BinaryPrimitives

/// The reports of AddressSanitizer (`asan_errors.cpp`): wrong uses of memory, and signals. See `SanitizerReader`.
///
/// A stack without a report around it, as `__sanitizer_print_stack_trace` prints it for programs that ask (assertions, log libraries), is told by its first row, which must
/// name its module. (Answered, it is text like any other.)
public struct AddressSanitizer: LineFormat {
    public static let name = "sanitizer-asan"
    public static let summary = "AddressSanitizer’s reports (clang, gcc, MSVC), and stacks of `__sanitizer_print_stack_trace`"
    public static let triggers = SanitizerTool.address.triggers + ["    #0 0x", " (/"]

    private var reader = SanitizerReader(.address, format: AddressSanitizer.name)

    public init() {}

    public static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .address ? .certain : SanitizerRow.beginsStack(plain) ? .possible : .none
    }

    public mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    public mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    public static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
