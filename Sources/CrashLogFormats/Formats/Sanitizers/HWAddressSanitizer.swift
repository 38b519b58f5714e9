internal import BinaryPrimitives
package import CrashLogModel

/// The reports of HWAddressSanitizer (`hwasan_report.cpp`), which are AddressSanitizer's with tags
/// and, at the end, registers.
package struct HWAddressSanitizer: LineFormat {
    package static let name = "sanitizer-hwasan"
    package static let summary = "HWAddressSanitizer’s reports (AArch64, RISC-V, x86-64)"
    package static let triggers = SanitizerTool.hardwareAddress.triggers

    private var reader = SanitizerReader(.hardwareAddress, format: HWAddressSanitizer.name)

    package init() {}

    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == .hardwareAddress ? .certain : .none
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
