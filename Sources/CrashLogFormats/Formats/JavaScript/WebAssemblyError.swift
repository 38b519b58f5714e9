internal import BinaryPrimitives
package import CrashLogModel

/// Errors of JavaScript with WebAssembly in their stacks, read as `JavaScriptError` reads them. Errors without pass through: it is for
/// the output of test runners, which report the errors of their tests themselves.
package struct WebAssemblyError: LineFormat {
    package static let name = JavaScriptError.name
    package static let summary = JavaScriptError.summary
    package static let triggers = JavaScriptError.triggers

    package static var isDecidedByShape: Bool { true }

    private var reader = JavaScriptError()

    package init() {}

    package var incompleteTraceMessage: String { reader.incompleteTraceMessage }
    package var yieldsToOtherFormats: Bool { reader.yieldsToOtherFormats }

    package func isOwnRow(_ line: Span<UInt8>) -> Bool { reader.isOwnRow(line) }

    package static func begins(_ line: Span<UInt8>) -> Confidence { JavaScriptError.begins(line) }
    package mutating func consume(_ line: Span<UInt8>, at range: Range<Int>) -> LineVerdict { reader.consume(line, at: range) }

    package mutating func finish() -> [CrashReport] {
        reader.finish().filter { report in report.stacks.contains { $0.frames.contains { $0.imageLocation != nil } } }
    }

    package static func edit(of frame: Frame, with result: FrameResult, in log: Span<UInt8>) -> TextEdit? {
        JavaScriptError.edit(of: frame, with: result, in: log)
    }
}
