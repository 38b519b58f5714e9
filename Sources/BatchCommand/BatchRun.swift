internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashLogModel
internal import SymbolSources
internal import Symbolication
internal import Synchronization

/// One run of `cairn batch`.
struct BatchRun {
    let command: SymbolicateLogs

    func run() async -> ExitStatus {
        do throws(StoreError) { return try await runPasses() } catch {
            printDiagnostic("batch: \(error.description)")
            return .failed
        }
    }

    private func runPasses() async throws(StoreError) -> ExitStatus {
        guard let rules = command.signatures.rules else { return .usage }
        // Reject the report's path before the work rather than at the end.
        if let report = command.report {
            do throws(PageError) { try CrashPages.check(report) } catch {
                printDiagnostic("batch: \(error.description)")
                return .failed
            }
        }
        // A mistyped name leaves no empty store.
        if command.paths.allSatisfy({ PathKind(path: $0) == nil }) {
            for path in command.paths {
                let suggestion = SimilarNames.suggestion(for: path, among: CairnBatch.commandNames) { "cairn batch " + $0 }
                printDiagnostic("\(path): no such file, directory or command.\(suggestion) (see cairn batch --help)")
            }
            return .failed
        }
        let store = try DatabaseStore(path: command.store, erases: command.anonymize) { printDiagnostic("batch: \($0)") }
        let source = command.source
        let (provider, isComplete) = source.provider(source.makeServers(quiet: command.quiet), indexes: .allFiles)
        let symbolicator = Symbolicator(provider: provider, options: source.symbolication)
        let use = UseOfSymbols(source)
        var engine = BatchEngine(
            symbolicator: symbolicator, registry: source.formats, isForced: source.logFormat != nil, rules: rules, store: store,
            jobs: command.jobs ?? Parallel.processors, retriesUnresolved: command.retryUnresolved,
            isAnonymous: command.anonymize, notice: { report in use.state.withLock { $0.note(report) } })
        let run = try store.beginRun(command.paths, version: cairnVersion)
        let reported = ReportedProblems()
        var logs = 0
        var isWhole = isComplete
        var isFirst = true
        while true {
            let start = ContinuousClock.now
            let progress = try await pass(engine, store, reported)
            logs += progress.logs
            try store.endRun(run, logs: logs)
            isWhole = isWhole && progress.unreadable + progress.unread + progress.cutShort == 0
            if !command.quiet, !command.watch || progress.logs > 0 || isFirst { notify(progress, try store.counts()) }
            if !command.quiet, isFirst { use.state.withLock { $0.report() } }
            if let report = command.report, !command.watch || progress.logs > 0 || isFirst {
                let status = WriteReport.write(report, store: command.store, quiet: command.quiet || command.watch)
                guard status == .done else { return status }
            }
            isFirst = false
            guard command.watch else { return isWhole ? .done : .failed }
            // Symbols that are missing now are still missing a moment later.
            engine.retriesUnresolved = false
            try? await Task.sleep(for: max(Self.period, (ContinuousClock.now - start) * Self.idleShare))
        }
    }

    /// Symbolicates new logs, and groups them.
    private func pass(_ engine: BatchEngine, _ store: DatabaseStore, _ reported: ReportedProblems) async throws(StoreError)
        -> BatchProgress
    {
        let own = OwnFiles(store: command.store, report: command.report)
        let activity = BatchActivity()
        let display = ProgressDisplay(activity, isQuiet: command.quiet)
        display.begin()
        defer { display.end() }
        // The total is only needed for the progress display; a watched directory has no total.
        if !command.quiet, !command.watch {
            Task.detached { [paths = command.paths] in activity.count(LogTree.count(paths) { own.contain($0) }) }
        }
        // A program that writes a log pauses for less than this.
        let newest = command.watch ? WallClock.nanoseconds - Self.settling : .max
        try engine.run(
            LogTree(command.paths),
            BatchEngine.FileFilter(isExcluded: { own.contain($0) }, isFullyWritten: { $0.modified <= newest }), activity: activity,
            notify: { if reported.isNew($0) { display.notify($0) } })
        activity.note("grouping")
        try store.group()
        return activity.progress
    }

    /// How often a watched directory is visited, and the share of time for it: visiting a large
    /// directory takes long.
    private static let period = Duration.seconds(1)
    private static let idleShare = 20
    /// A file that was changed within this is being written (nanoseconds).
    private static let settling: Int64 = 2_000_000_000

    private func notify(_ progress: BatchProgress, _ counts: StoreCounts) {
        var output = StandardOutput()
        for line in RunSummary(progress, counts).lines { output.append(line + "\n") }
        output.flush()
    }
}

/// Which symbol files the threads of a run have used.
private final class UseOfSymbols: Sendable {
    let state: Mutex<SymbolFileUsage>

    init(_ source: SymbolOptions) { state = Mutex(SymbolFileUsage(source)) }
}

/// The store's own files and the report's folder, which may lie among the logs.
private struct OwnFiles: Sendable {
    private let paths: Set<String>
    private let names: Set<String>

    /// - Parameter report: the folder of an earlier report, if there is one.
    init(store: String, report: String? = nil) {
        let whole = Path.resolved(store) ?? store
        paths = Set(["", "-wal", "-shm", "-journal"].map { whole + $0 } + [report.flatMap { Path.resolved($0) }].compactMap { $0 })
        names = Set(paths.map { Path.name(of: $0) })
    }

    /// Only what has one of the names is worth the system calls that find where it is.
    func contain(_ path: String) -> Bool { names.contains(Path.name(of: path)) && paths.contains(Path.resolved(path) ?? path) }
}

/// Problems that were printed: a folder that is looked at again and again has the same ones each
/// time.
private final class ReportedProblems: Sendable {
    /// At most 10,000 problems; beyond that, the least recently seen are printed again.
    private let reported = Mutex(RecentValues<BatchProblem, Void>(count: 10_000))

    func isNew(_ problem: BatchProblem) -> Bool {
        reported.withLock { reported in
            guard reported.value(for: problem) == nil else { return false }
            reported.insert((), for: problem)
            return true
        }
    }
}
