internal import BinaryPrimitives

/// A log that is there as a whole: its pieces and the reports in it.
public struct CrashLog: Sendable {
    /// Text and traces, in order, covering every byte.
    public var pieces: [LogStream.Piece]
    /// Why something in it could not be read; with no report and no other reason, that nothing in it is a crash.
    public var problems: [LogError]

    /// The traces, in order.
    public var reports: [CrashReport] {
        pieces.flatMap(\.reports)
    }

    /// Reads a whole log. Never throws and never traps, whatever the bytes are.
    ///
    /// - Parameters:
    ///   - bytes: the log.
    ///   - formatName: the format it is to be read as (`FormatRegistry.names`); `nil` to detect it.
    public static func parse(_ bytes: Span<UInt8>, formatName: String? = nil, registry: FormatRegistry = .standard) -> CrashLog {
        var chosen = registry
        if let formatName {
            guard let only = registry.only(formatName) else {
                let names = registry.names.joined(separator: ", ")
                let problem = LogError("there is no log format “\(formatName)”", expected: "one of \(names)")
                return CrashLog(pieces: bytes.count > 0 ? [.text(0..<bytes.count)] : [], problems: [problem])
            }
            chosen = only
        }
        if let binary = binaryDocument(bytes, chosen) { return binary }
        var stream = LogStream(registry: chosen, isForced: formatName != nil)
        var log = CrashLog(pieces: stream.feed(bytes), problems: [])
        log.pieces = noted(joined(log.pieces + stream.finish()))
        log.problems = stream.problems
        if log.problems.isEmpty, log.reports.isEmpty {
            let expected = "a trace of one of these formats: " + chosen.names.joined(separator: ", ")
            let problem = LogError(bytes.count == 0 ? "the log is empty" : "nothing in it is a crash log", expected: expected)
            log.problems.append(stream.refusals.first ?? problem)
        }
        return log
    }

    /// A log that begins with a document format's magic bytes is that document from its first byte to its last.
    private static func binaryDocument(_ bytes: Span<UInt8>, _ registry: FormatRegistry) -> CrashLog? {
        let format = registry.documentFormats.first { format in
            !format.magic.isEmpty && bytes.upTo(format.magic.count).copied() == format.magic
        }
        guard let format else { return nil }
        let all = 0..<bytes.count
        do {
            return CrashLog(pieces: [.traces(try format.parse(bytes), all)], problems: [])
        } catch {
            return CrashLog(pieces: [.text(all)], problems: [error])
        }
    }

    private static func noted(_ pieces: [LogStream.Piece]) -> [LogStream.Piece] {
        var repeated = RepeatedReports()
        return pieces.map { piece in
            guard case .traces(var reports, let range) = piece else { return piece }
            for index in reports.indices { repeated.note(&reports[index]) }
            return .traces(reports, range)
        }
    }

    /// Neighbouring pieces of text become one.
    private static func joined(_ pieces: [LogStream.Piece]) -> [LogStream.Piece] {
        pieces.reduce(into: []) { result, piece in
            if case .text(let range) = piece, case .text(let before)? = result.last {
                result[result.count - 1] = .text(before.lowerBound..<range.upperBound)
            } else {
                result.append(piece)
            }
        }
    }
}
