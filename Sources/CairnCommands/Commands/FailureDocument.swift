internal import BinaryPrimitives
internal import Console
internal import Reporting
internal import SymbolFiles
internal import Symbolication
internal import TestReports

/// Documents that the failure formats make of logs: the failures in their reports, in the formats
/// that `cairn ci` writes for a run.
struct FailureDocument {
    private let format: Symbolicate.Format
    private let empty: FailureCollector
    /// Failures of the log that is being read.
    private var failures: FailureCollector
    private var lines = OutputLines()
    private var logs: [JUnitReport.Suite] = []
    /// Failures of logs that were read, beyond what is kept.
    private(set) var leftOut = 0
    private var kept = 0
    /// Every log was found and read to its end.
    var isComplete = true

    /// Failures of all logs that are kept: as many results as GitHub takes of one file.
    private static let limit = 25_000

    /// - Parameter root: of the repository.
    init(_ format: Symbolicate.Format, root: String, ownCode: OwnCodeRule, map: PathMap) {
        self.format = format
        empty = FailureCollector(
            repository: RepositoryPaths(root: root, map: map), ownCode: ownCode, excerpts: SourceExcerpts(root: root), subject: .log)
        failures = empty
    }

    mutating func begin(log path: String) {
        failures = empty
        failures.log = path
        lines = OutputLines()
    }

    /// The text beside the reports: what a process said before it crashed, and which test was
    /// running.
    mutating func append(text: Span<UInt8>) { lines.feed(text.copied(), to: &failures) }

    mutating func append(_ report: SymbolicatedReport) {
        lines.finish(to: &failures)
        failures.add(report)
    }

    /// The log has been read, as far as it could be.
    mutating func endLog() {
        lines.finish(to: &failures)
        let found = failures.finish()
        let count = min(found.count, Self.limit - kept)
        kept += count
        leftOut += found.count - count + failures.failuresLeftOut
        let path = failures.log ?? "-"
        // JUnit wants a time: that of the log's last change is nearest to that of the crash.
        let time = path == "-" ? nil : FileStamp(path: path).map { $0.modified / 1_000_000_000 }
        logs.append(
            JUnitReport.Suite(
                name: path == "-" ? "standard input" : path, startedAt: time ?? WallClock.seconds, failures: Array(found.prefix(count))))
    }

    /// Returns the document of the logs that have ended since the last one, and removes these.
    mutating func removeDocument() -> [UInt8] {
        defer {
            logs = []
            kept = 0
        }
        let failures = logs.flatMap(\.failures)
        return switch format {
        case .markdown: GitHubSummary().render(failures)
        case .sarif: SARIFReport(version: cairnVersion).render(failures, isComplete: isComplete)
        case .junit: JUnitReport().render(logs)
        case .github: GitHubAnnotations(elsewhere: "--format markdown lists all").render(failures)
        case .same, .text, .json, .appleCrash: []
        }
    }
}
