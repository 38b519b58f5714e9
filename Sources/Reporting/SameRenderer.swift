public import CrashLogFormats
internal import CrashLogModel
internal import CrashReports
internal import Symbolication

/// The input log with its frames symbolicated in its own format; every other byte as it was.
public struct SameRenderer: Renderer {
    public static let name = "same"

    private let formats: FormatRegistry

    /// - Parameter formats: the formats that the log was read with.
    public init(formats: FormatRegistry = .standard) { self.formats = formats }

    /// A log in UTF-16 is written in UTF-16.
    public func render(_ log: SymbolicatedLog, source: Span<UInt8>) -> [UInt8] {
        guard case .utf16(let order) = TextEncoding(of: source) else { return symbolicated(log, source) }
        var text: [UInt8] = []
        var decoder = UTF16Decoder(order)
        decoder.decode(source, to: &text)
        let odd = decoder.finish(to: &text)
        var output: [UInt8] = []
        var encoder = UTF16Encoder(order)
        encoder.encode(symbolicated(log, text.span).span, to: &output)
        return output + (odd.map { [$0] } ?? [])
    }

    private func symbolicated(_ log: SymbolicatedLog, _ source: Span<UInt8>) -> [UInt8] {
        var edits: [TextEdit] = []
        for report in log.reports {
            let results = report.allFrames
                .compactMap { frame, outcome in outcome.resolved.map { (frame: frame, result: $0) } }
                .sorted { $0.frame.range.lowerBound < $1.frame.range.lowerBound }
            edits += formats.edits(of: report.report, results: results, in: source)
        }
        // Traces do not overlap, so their edits do not either, in any order of the traces.
        return TextEdit.apply(edits.sorted { $0.range.lowerBound < $1.range.lowerBound }, to: source)
    }
}
