package import BinaryPrimitives
package import CrashLogFormats
internal import CrashReports
package import Symbolication
internal import Synchronization

/// Symbolicates all logs of a tree, and keeps the outcome of each log.
///
/// One thread walks the tree and writes into the store, in the order of the logs' paths, so that
/// the store's rows do not depend on the speed of the machine or on interruptions. The other
/// threads, and this one while it has nothing to write, symbolicate logs. The number of logs that
/// wait is limited, so that the memory does not grow with the tree.
package struct BatchEngine: Sendable {
    private let reader: LogReader
    private let store: DatabaseStore
    private let jobs: Int
    private let rules: String

    /// Whether logs with unresolved frames are symbolicated again.
    package var retriesUnresolved: Bool

    /// - Parameters:
    ///   - symbolicator: its table of open symbol files is the whole run's: each is opened once.
    ///   - isForced: `registry` holds the one format that the user gave.
    ///   - jobs: logs that are looked up at once.
    ///   - isAnonymous: names of users, hosts and devices are not kept.
    ///   - notice: gets every report of the run, on the thread that looked it up.
    package init(
        symbolicator: Symbolicator, registry: FormatRegistry, isForced: Bool, rules: SignatureRules = SignatureRules(),
        store: DatabaseStore, jobs: Int, retriesUnresolved: Bool = false, isAnonymous: Bool = false,
        notice: @escaping @Sendable (SymbolicatedReport) -> Void = { _ in }
    ) {
        self.rules = rules.fingerprint + (isAnonymous ? " anonymous" : "")
        var traces = LogTraces(symbolicator: symbolicator, registry: registry, isForced: isForced)
        traces.imagesOfFrames = true
        reader = LogReader(
            traces: traces, rules: rules,
            anonymizer: isAnonymous ? Anonymizer() : nil, fingerprint: self.rules, notice: notice)
        self.store = store
        self.jobs = max(1, jobs)
        self.retriesUnresolved = retriesUnresolved
    }

    /// The caller's choices about the files that a run finds.
    package struct FileFilter: Sendable {
        /// Paths that are no logs: the store, a report's pages.
        package var isExcluded: @Sendable (String) -> Bool
        /// Whether a file is not being written any more; if it is, it is passed over.
        package var isFullyWritten: @Sendable (FileStamp) -> Bool

        package init(
            isExcluded: @escaping @Sendable (String) -> Bool = { _ in false },
            isFullyWritten: @escaping @Sendable (FileStamp) -> Bool = { _ in true }
        ) {
            self.isExcluded = isExcluded
            self.isFullyWritten = isFullyWritten
        }
    }

    /// - Parameter notify: Called with each file that could not be read.
    /// - Throws: `StoreError` if the store accepts no more results; results that it accepted before
    ///   are kept.
    package func run(
        _ tree: LogTree, _ choice: FileFilter, activity: BatchActivity, notify: @escaping @Sendable (BatchProblem) -> Void
    ) throws(StoreError) {
        let requirements = ResultRequirements(rules: rules, retriesUnresolved: retriesUnresolved)
        let worker = LogWorker(reader: reader, store: store, requirements: requirements, activity: activity)
        let queues = LogQueues()
        let run = Mutex(
            OrderedRun(tree: tree, choice: choice, worker: worker, queues: queues, jobs: jobs, notify: notify))
        let threads = Atomic(0)
        Parallel.run(onThreads: jobs) {
            if threads.add(1, ordering: .relaxed).newValue == 1 {
                run.withLock { $0.run() }
            } else {
                while let task = queues.tasks.next() { _ = queues.results.add(worker.symbolicate(task), weight: 0) }
            }
        }
        if let failure = run.withLock({ $0.failure }) { throw failure }
    }
}

/// Between the thread that gives out logs and writes their outcomes, and those that look them up.
struct LogQueues: Sendable {
    let tasks = WorkQueue<LogWorker.Task>(maxWeight: .max)
    let results = WorkQueue<LogWorker.Result>(maxWeight: .max)
}
