internal import BatchProcessing
internal import BinaryPrimitives
internal import CommandSupport
internal import Console
internal import CrashReports
internal import Symbolication

/// One run of `cairn batch`.
struct BatchRun {
    let command: AnswerLogs

    func run() async -> ExitStatus {
        do throws(StoreError) { return try await answer() } catch {
            complain("batch: \(error.description)")
            return .failed
        }
    }

    private func answer() async throws(StoreError) -> ExitStatus {
        #if Batch
            guard let rules = command.signatures.rules else { return .usage }
            // What would be refused at the end is refused before the work.
            if let report = command.report {
                do throws(PageError) { try CrashPages.check(report) } catch {
                    complain("batch: \(error.description)")
                    return .failed
                }
            }
            let store = try SQLiteStore(path: command.store)
            let source = command.source
            let (provider, isComplete) = source.provider(source.debuginfod.place(quiet: command.quiet), isBatch: true)
            let symbolicator = Symbolicator(provider: provider, options: source.symbolication)
            let engine = BatchEngine(
                symbolicator: symbolicator, registry: source.formats, isForced: source.logFormat != nil, rules: rules, store: store,
                jobs: command.jobs ?? Parallel.processors, retriesUnanswered: command.retryUnresolved)
            let run = try store.beginRun(command.paths, version: cairnVersion)
            let own = OwnFiles(store: command.store, report: command.report)
            let activity = BatchActivity()
            let display = ProgressDisplay(activity, isQuiet: command.quiet)
            display.begin()
            let counting = Task.detached { [paths = command.paths] in LogTree.count(paths) { own.contain($0) } }
            Task { activity.count(await counting.value) }
            try engine.run(
                LogTree(command.paths), BatchEngine.Choice(isLeftOut: { own.contain($0) }), activity: activity, tell: { display.tell($0) })
            activity.note("grouping")
            try store.group()
            display.end()
            let progress = activity.progress
            try store.endRun(run, logs: progress.logs)
            if !command.quiet { tell(progress, try store.counts()) }
            if let report = command.report {
                let status = WriteReport.write(report, store: command.store, quiet: command.quiet)
                guard status == .done else { return status }
            }
            return !isComplete || progress.unreadable > 0 || progress.unread > 0 ? .failed : .done
        #else
            throw StoreError(path: command.store, problem: "this build has no SQLite: expected the package trait Batch")
        #endif
    }

    private func tell(_ progress: BatchProgress, _ counts: StoreCounts) {
        var output = StandardOutput()
        let archives = progress.knownArchives > 0 ? "; archives known before: \(progress.knownArchives)" : ""
        output.append("files: \(progress.files), of them known before: \(progress.known)\(archives)\n")
        output.append(
            "logs answered in this run: \(progress.logs - progress.withoutTrace - progress.unreadable), reports in them: \(progress.reports)\n"
        )
        output.append("no crash log: \(progress.withoutTrace); not readable: \(progress.unreadable + progress.unread)\n")
        output.append(
            "in the store: \(counts.logs) logs, \(counts.reports) reports in \(counts.groups) groups; \(counts.unansweredFrames) of \(counts.frames) distinct frames unanswered\n"
        )
        output.flush()
    }
}

/// The store's own files and the report's folder, which may lie among the logs.
struct OwnFiles: Sendable {
    private let paths: Set<String>
    private let names: Set<String>

    /// - Parameter report: the folder of an earlier report, if there is one.
    init(store: String, report: String? = nil) {
        let whole = Path.resolved(store) ?? store
        paths = Set(["", "-wal", "-shm", "-journal"].map { whole + $0 } + [report.flatMap { Path.resolved($0) }].compactMap { $0 })
        names = Set(paths.map { Path.name(of: $0) })
    }

    /// Only what has one of the names is worth the system calls that tell where it is.
    func contain(_ path: String) -> Bool { names.contains(Path.name(of: path)) && paths.contains(Path.resolved(path) ?? path) }
}
