internal import BinaryPrimitives
package import CrashLogModel

/// The reports of one sanitizer: what all of them share (see `SanitizerReader`).
package protocol SanitizerFormat: LineFormat {
    static var tool: SanitizerTool { get }
    var reader: SanitizerReader { get set }

    /// Whether `line`, in which the tool's heading is not, begins a trace.
    static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence
}

extension SanitizerFormat {
    package static func begins(_ line: Span<UInt8>) -> Confidence {
        let text = ANSIText(line)
        let plain = text.bytes.span
        return SanitizerHeading(plain)?.tool == tool ? .certain : beginsWithoutHeading(plain)
    }

    package static func beginsWithoutHeading(_ line: Span<UInt8>) -> Confidence { .none }

    package var shortfall: String {
        reader.standsAlone
            ? "looks like a frame of \(Self.name), but the heading above the stack is missing."
            : "looks like the beginning of \(Self.name), but no stack follows it."
    }

    package mutating func consume(_ line: Span<UInt8>, at place: Range<Int>) -> LineVerdict { reader.consume(line, at: place) }

    package mutating func finish() -> [CrashReport] { reader.report().map { [$0] } ?? [] }

    package static func edits(of report: CrashReport, answers: [(frame: Frame, answer: FrameAnswer)], in log: Span<UInt8>) -> [TextEdit] {
        SanitizerEdits.edits(of: report, answers: answers, in: log)
    }
}
