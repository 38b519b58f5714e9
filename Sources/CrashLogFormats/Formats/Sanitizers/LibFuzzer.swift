internal import BinaryPrimitives
package import CrashLogModel

/// The reports of libFuzzer itself (`FuzzerLoop.cpp`), whose rows the sanitizer that it runs with
/// prints.
package struct LibFuzzer: LineFormat {
    package static let name = "sanitizer-libfuzzer"
    package static let summary = "libFuzzer’s own reports: deadly signals, timeouts, out of memory, early exits"
    package static let triggers = SanitizerTool.libFuzzer.triggers

    private var reader = SanitizerReader(.libFuzzer, format: LibFuzzer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .libFuzzer ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
