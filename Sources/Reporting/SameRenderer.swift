public import CrashReports
internal import Symbolication

/// The input log with its frames answered in its own format; every other byte as it was.
public struct SameRenderer: Renderer {
    public static let name = "same"

    private let formats: FormatRegistry

    public init(formats: FormatRegistry = .standard) { self.formats = formats }

    public func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8] {
        var edits: [TextEdit] = []
        for report in log.reports {
            let answers = report.allFrames
                .compactMap { frame, outcome in outcome.answer.map { (frame: frame, answer: $0) } }
                .sorted { $0.frame.place.lowerBound < $1.frame.place.lowerBound }
            edits += formats.edits(of: report.report, answers: answers, in: source)
        }
        // Traces do not overlap, so their edits do not either, whatever order the traces came in.
        return TextEdit.apply(edits.sorted { $0.range.lowerBound < $1.range.lowerBound }, to: source)
    }
}
