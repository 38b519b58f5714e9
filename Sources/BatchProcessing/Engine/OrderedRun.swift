internal import BinaryPrimitives

/// The thread of a run that gives out logs and keeps what comes back, both in the order of the
/// paths.
struct OrderedRun: Sendable {
    private var tree: LogTree
    private let choice: BatchEngine.FileFilter
    private let worker: LogWorker
    private let queues: LogQueues
    private let notify: @Sendable (BatchProblem) -> Void
    private(set) var failure: StoreError?

    private var isAtEnd = false
    /// How many logs were given out, and how many of them were written.
    private var given = 0
    private var written = 0
    /// Results that wait for those before them.
    private var results: [Int: LogWorker.Result] = [:]
    /// Bytes of the logs that were given out and are not written.
    private var bytes: UInt64 = 0
    /// Problems and archives that are written as soon as this many logs are.
    private var notes: [(given: Int, problems: [BatchProblem], archives: [(path: String, stamp: FileStamp)])] = []
    /// Archives with something in them that could not be read: they are looked at again.
    private var brokenArchives: Set<String> = []
    private var lastWrite = ContinuousClock.now
    /// The last logs that were written; earlier ones are found in the store.
    private var recent: RecentValues<ContentHash, Void>

    /// Logs, and bytes of them, that are given out and not written.
    private let maxLogs: Int
    private let maxBytes: UInt64

    /// Logs that are looked up together.
    private static let partLogs = 64
    private static let partBytes: UInt64 = 8 << 20
    /// Logs that are written in one transaction. The store's rows are sorted by hashes, so that each transaction writes pages all over its
    /// tables: 256 logs at a time write half as many as 64.
    private static let writtenLogs = 256
    /// After this even a few are written: what a killed process loses is not more.
    private static let longestWait = Duration.seconds(1)

    init(
        tree: LogTree, choice: BatchEngine.FileFilter, worker: LogWorker, queues: LogQueues, jobs: Int,
        notify: @escaping @Sendable (BatchProblem) -> Void
    ) {
        self.tree = tree
        self.choice = choice
        self.worker = worker
        self.queues = queues
        self.notify = notify
        maxLogs = Self.writtenLogs + Self.partLogs * (jobs + 1)
        recent = RecentValues(count: 2 * maxLogs)
        maxBytes = 32 << 20 * UInt64(clamping: jobs)
    }

    mutating func run() {
        defer { queues.tasks.close() }
        do throws(StoreError) {
            while true {
                try giveOut()
                while let result = queues.results.next(waits: false) { addResult(result) }
                if isWorthWriting {
                    try write()
                } else if let task = queues.tasks.next(waits: false) {
                    addResult(worker.symbolicate(task))
                } else if given > written + results.count {
                    if let result = queues.results.next() { addResult(result) }
                } else {
                    break
                }
            }
            try write()
        } catch { failure = error }
    }

    // MARK: Giving out

    private mutating func giveOut() throws(StoreError) {
        while !isAtEnd, given - written <= maxLogs - Self.partLogs, bytes < maxBytes {
            var files: [LogTree.File] = []
            var partBytes: UInt64 = 0
            let (store, requirements, activity, choice) = (worker.store, worker.requirements, worker.activity, choice)
            while files.count < Self.partLogs, partBytes < Self.partBytes {
                guard
                    let file = tree.next(
                        except: choice.isExcluded,
                        // If the store cannot be queried, the error is reported when a result is
                        // written to it.
                        isKnown: { path, stamp in
                            guard choice.isFullyWritten(stamp) else { return true }
                            guard (try? store.hasArchive(at: path, stamp: stamp, requirements)) == true else { return false }
                            activity.change { $0.knownArchives += 1 }
                            return true
                        })
                else {
                    isAtEnd = true
                    break
                }
                guard choice.isFullyWritten(file.stamp) else { continue }
                files.append(file)
                partBytes += file.stamp.size
            }
            try add(files)
            note()
        }
    }

    private mutating func add(_ files: [LogTree.File]) throws(StoreError) {
        var known = 0
        for (file, status) in zip(files, try worker.store.statuses(of: files, worker.requirements)) {
            var task = LogWorker.Task(number: given, file: file)
            switch status {
            case .known:
                known += 1
                continue
            case .changed(let content, let size): task.earlier = (content, size)
            case .new: break
            }
            bytes += file.stamp.size
            given += 1
            _ = queues.tasks.add(task, weight: 0)
        }
        worker.activity.change { progress in
            progress.files += files.count
            progress.known += known
            progress.walkedFiles = tree.files
        }
    }

    /// Keeps the walk's problems and finished archives with the logs that the walk returned before.
    private mutating func note() {
        guard !tree.problems.isEmpty || !tree.finishedArchives.isEmpty else { return }
        notes.append((given, tree.problems, tree.finishedArchives))
        tree.removeReported()
    }

    // MARK: Writing

    private mutating func addResult(_ result: LogWorker.Result) { results[result.number] = result }

    private var isWorthWriting: Bool {
        guard results[written] != nil else { return false }
        if results[written + Self.writtenLogs - 1] != nil || ContinuousClock.now - lastWrite > Self.longestWait {
            return true
        }
        return bytes >= maxBytes
    }

    private mutating func write() throws(StoreError) {
        var ready: [LogWorker.Result] = []
        while let result = results.removeValue(forKey: written) {
            ready.append(result)
            written += 1
            bytes -= min(bytes, result.file.stamp.size)
        }
        var part = StoredPart(rules: worker.requirements.rules, isAnonymous: worker.reader.anonymizer != nil)
        for result in ready {
            if let stored = result.stored { part.files.append(stored) }
            if let outcome = result.outcome { part.outcomes.append(outcome) }
            guard let problem = result.problem else { continue }
            part.unread.append((problem.path, problem.problem))
            noteBroken(result.file.path)
        }
        while let first = notes.first, first.given <= written {
            for problem in first.problems {
                part.unread.append((problem.path, problem.problem))
                noteBroken(problem.path)
                notify(problem)
            }
            worker.activity.change { $0.unread += first.problems.count }
            part.archives += first.archives.filter { !brokenArchives.contains($0.path) }
            notes.removeFirst()
        }
        lastWrite = .now
        guard !part.isEmpty else { return }
        try worker.store.keep(part)
        for result in ready {
            let isDuplicate = result.outcome.map { isWritten($0.content) } ?? (result.stored != nil)
            report(result, isDuplicate: isDuplicate)
        }
    }

    /// Whether a log of these bytes was written a moment ago: two files of one content may be
    /// symbolicated side by side.
    private mutating func isWritten(_ content: ContentHash) -> Bool {
        if recent.value(for: content) != nil { return true }
        recent.insert((), for: content)
        return false
    }

    /// An archive with something in it that could not be read is not known, and is looked at again.
    private mutating func noteBroken(_ path: String) {
        if let mark = path.firstRange(of: "!/") { brokenArchives.insert(String(path[..<mark.lowerBound])) }
    }

    private func report(_ result: LogWorker.Result, isDuplicate: Bool) {
        if let problem = result.problem { notify(problem) }
        if let outcome = result.outcome, outcome.result == .unreadable || outcome.isCutShort {
            for problem in outcome.problems { notify(BatchProblem(path: result.file.path, problem: problem)) }
        }
        worker.activity.change { progress in
            progress.bytes += Int64(clamping: result.file.stamp.size)
            if result.problem != nil {
                progress.unread += 1
                progress.unopened += 1
            }
            if isDuplicate {
                progress.known += 1
                progress.duplicates += 1
            }
            guard let outcome = result.outcome, !isDuplicate else { return }
            progress.logs += 1
            progress.reports += outcome.reports.count
            switch outcome.result {
            case .answered: progress.cutShort += outcome.isCutShort ? 1 : 0
            case .noTrace: progress.withoutTrace += 1
            case .unreadable: progress.unreadable += 1
            }
        }
    }
}
