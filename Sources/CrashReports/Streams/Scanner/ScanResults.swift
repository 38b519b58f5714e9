internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// Results of a scanner so far: pieces in order, and reasons why parts could not be read.
struct ScanResults: Sendable {
    private(set) var pieces: [LogStream.Piece] = []
    /// Bytes before it are in a piece.
    private(set) var covered = 0
    /// A report is in a piece.
    private(set) var hasFound = false
    private(set) var problems: [LogError] = []
    /// Reason why the first possible document is not a report; reported if nothing else is found.
    private var refusal: LogError?
    /// Documents that could not be read beyond those in `problems`.
    private var unreportedProblems = 0
    private var content = ContentKind()
    private var nearMiss = NearMiss()
    private var repeated = RepeatedReports()
    private let limits: Limits

    init(limits: Limits) { self.limits = limits }

    // MARK: Pieces

    mutating func removePieces() -> [LogStream.Piece] {
        defer { pieces = [] }
        return pieces
    }

    mutating func emit(_ found: [(reports: [CrashReport], range: Range<Int>)]) {
        // A document's bytes are never a trace's as well.
        for (reports, range) in found {
            emitText(upTo: range.lowerBound)
            if range.lowerBound >= covered, !range.isEmpty { emit(reports, in: range) }
        }
    }

    mutating func emit(_ reports: [CrashReport], in range: Range<Int>) {
        var reports = reports
        for index in reports.indices {
            reports[index].cut(to: limits)
            repeated.note(&reports[index])
        }
        pieces.append(.traces(reports, range))
        covered = range.upperBound
        hasFound = true
    }

    mutating func emitText(upTo end: Int) {
        guard end > covered else { return }
        pieces.append(content.isBinary ? .binary(covered..<end) : .text(covered..<end))
        covered = end
    }

    /// Checks whether the log is text, by its first bytes.
    mutating func inspect(_ bytes: Span<UInt8>, base: Int) { content.inspect(bytes, base: base) }

    /// The log is a file of another kind.
    mutating func setBinary() { content.isBinary = true }

    // MARK: Problems

    /// Stores the reason why a document could not be read, for the first `Limits.reportedProblems` of
    /// them.
    mutating func noteProblem(_ problem: LogError) {
        if problems.count < limits.reportedProblems { problems.append(problem) } else { unreportedProblems += 1 }
    }

    /// Remembers why a possible document is not a report.
    mutating func noteRefusal(_ problem: LogError) { refusal = refusal ?? problem }

    /// Remembers the line that is nearest to a report, until one is found.
    mutating func noteNearMiss(_ incompleteTrace: (start: Int, message: String)?, upTo position: Int, _ bytes: Span<UInt8>, base: Int) {
        if !hasFound { nearMiss.note(incompleteTrace, upTo: position, bytes, base: base) }
    }

    /// Problems of a log that has ended. A log without a report and without another problem has the
    /// problem that it has no report.
    /// - Parameter format: the only format that is wanted.
    func problemsAtEnd(format: String?) -> [LogError] {
        guard problems.isEmpty, !hasFound else {
            guard unreportedProblems > 0 else { return problems }
            let reported = "what the first \(limits.reportedProblems) complaints say"
            return problems + [LogError("\(unreportedProblems) more documents could not be read", expected: reported)]
        }
        return [refusal ?? nothingFound(format)]
    }

    private func nothingFound(_ format: String?) -> LogError {
        guard covered > 0 else { return LogError("the log is empty", kind: .empty) }
        if content.isBinary { return LogError("this is not text, and no crash report was found in it", kind: .otherFile) }
        if let message = nearMiss.message { return LogError("no crash report found. \(message)", kind: .noStack) }
        if let format { return LogError("no crash report found in the format \(format)", kind: .noStack) }
        return LogError("no crash report found", kind: .noReport)
    }
}

/// Notices when a log has the same crash twice.
///
/// Console and Finder's preview show an `.ips` of macOS 12 and later as "Translated Report (Full
/// Report Below)", the text form, and paste the JSON under "Full Report". Both parts are reports
/// and both are symbolicated; the second is marked as the first once more, so that nobody counts
/// two crashes.
private struct RepeatedReports {
    /// The latest text report.
    private var text: CrashReport?

    /// Adds the note to `report` if it is the JSON form of the text report before it: one process,
    /// one moment.
    mutating func note(_ report: inout CrashReport) {
        if report.format == AppleIPS.name, let text, text.process.name == report.process.name, text.process.pid == report.process.pid,
            let instant = text.timestamp?.instant, instant == report.timestamp?.instant
        {
            report.notes.append("This is the full form of the translated report above it: one crash, printed twice.")
        }
        text = report.format == AppleCrash.name ? report : nil
    }
}
