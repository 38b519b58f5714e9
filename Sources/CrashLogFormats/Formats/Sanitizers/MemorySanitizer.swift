internal import BinaryPrimitives
package import CrashLogModel

/// The reports of MemorySanitizer (`msan_report.cpp`), with the origins of the value where
/// `-fsanitize-memory-track-origins` follows them.
package struct MemorySanitizer: LineFormat {
    package static let name = "sanitizer-msan"
    package static let summary = "MemorySanitizer’s reports: uses of memory that was never written"
    package static let triggers = SanitizerTool.memory.triggers

    private var reader = SanitizerReader(.memory, format: MemorySanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .memory ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
