internal import BinaryPrimitives
package import CrashLogModel

/// The reports of ThreadSanitizer (`tsan_report.cpp`). Its rows have no addresses but the module's
/// name, without its folder, and the place in it:
///
///     WARNING: ThreadSanitizer: data race (pid=9292)
///       Read of size 4 at 0x7b0400000000 by thread T1:
///         #0 <null> <null> (race+0x1233)
///
///       Previous write of size 4 at 0x7b0400000000 by main thread (mutexes: write M9):
///         #0 <null> <null> (race+0x1240)
package struct ThreadSanitizer: LineFormat {
    package static let name = "sanitizer-tsan"
    package static let summary = "ThreadSanitizer’s reports: data races, lock orders, leaked threads"
    package static let triggers = SanitizerTool.thread.triggers

    private var reader = SanitizerReader(.thread, format: ThreadSanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .thread ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
