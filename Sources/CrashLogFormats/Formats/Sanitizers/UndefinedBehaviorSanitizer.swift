internal import BinaryPrimitives
package import CrashLogModel

/// The reports of UndefinedBehaviorSanitizer and of clang's control flow integrity
/// (`ubsan_diag.cpp`): one line, with a stack where `print_stacktrace=1` requests it. In programs
/// that are not otherwise sanitized it reports signals as AddressSanitizer does.
package struct UndefinedBehaviorSanitizer: LineFormat {
    package static let name = "sanitizer-ubsan"
    package static let summary = "UndefinedBehaviorSanitizer’s runtime errors, with and without a stack; control flow integrity"
    package static let triggers = SanitizerTool.undefinedBehavior.triggers + [": runtime error: "]

    private var reader = SanitizerReader(.undefinedBehavior, format: UndefinedBehaviorSanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .undefinedBehavior || UndefinedBehaviorLine(plain) != nil ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
