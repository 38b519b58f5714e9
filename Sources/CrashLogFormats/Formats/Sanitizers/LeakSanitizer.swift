internal import BinaryPrimitives
package import CrashLogModel

/// The reports of LeakSanitizer (`lsan_common.cpp`), alone or as a part of AddressSanitizer. No
/// thread is to blame: each block of leaked memory has the stack that allocated it,
/// `Direct leak of 8 byte(s) in 1 object(s) allocated from:`.
package struct LeakSanitizer: LineFormat {
    package static let name = "sanitizer-lsan"
    package static let summary = "LeakSanitizer’s reports: where leaked memory was allocated"
    package static let triggers = SanitizerTool.leak.triggers

    private var reader = SanitizerReader(.leak, format: LeakSanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .leak ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
