internal import BinaryPrimitives
package import CrashLogModel

/// The reports of AddressSanitizer (`asan_errors.cpp`): wrong uses of memory, and signals. See
/// `SanitizerReader`.
///
/// A stack without a report around it is recognised by its first row.
/// `__sanitizer_print_stack_trace` prints one for programs that call it (assertions, log
/// libraries). The row must name its module. (Once symbolicated, it is text like any other.)
package struct AddressSanitizer: LineFormat {
    package static let name = "sanitizer-asan"
    package static let summary = "AddressSanitizer’s reports (clang, gcc, MSVC), and stacks of `__sanitizer_print_stack_trace`"
    package static let triggers = SanitizerTool.address.triggers + ["    #0 0x", " (/"]

    private var reader = SanitizerReader(.address, format: AddressSanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .address ? .certain : SanitizerRow.beginsStack(plain) ? .possible : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
