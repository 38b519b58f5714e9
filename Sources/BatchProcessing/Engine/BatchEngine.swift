#if Batch
    public import BinaryPrimitives
    public import CrashReports
    public import Symbolication

    /// Answers all logs of a tree, and keeps each one's outcome.
    ///
    /// Logs are read in parts, the logs of a part side by side; while one part is looked up, the one before is written. Outcomes are kept in the order of the logs' paths, so that the store's rows are
    /// the same however fast the machine is, and wherever a run was interrupted.
    public struct BatchEngine: Sendable {
        private let reader: LogReader
        private let store: any ReportStore
        private let jobs: Int

        /// Files, and bytes of them, that are in work at once for each job.
        private static let partFiles = 32
        private static let partBytes: UInt64 = 16 << 20

        /// - Parameters:
        ///   - symbolicator: its table of open symbol files is the whole run's: each is opened once.
        ///   - isForced: `registry` holds one format, by the user's word.
        ///   - jobs: logs that are looked up at once.
        public init(symbolicator: Symbolicator, registry: FormatRegistry, isForced: Bool, store: any ReportStore, jobs: Int) {
            reader = LogReader(symbolicator: symbolicator, registry: registry, isForced: isForced)
            self.store = store
            self.jobs = max(1, jobs)
        }

        /// A log that was looked up, and where it lies.
        private struct Answer: Sendable {
            var file: LogTree.File
            var content: ContentHash?
            /// `nil` where the store has it already, or the file could not be opened.
            var outcome: LogOutcome?
            var problem: String?
        }

        /// - Parameters:
        ///   - isLeftOut: paths that are no logs.
        ///   - tell: gets what could not be read, a line each.
        ///   - show: gets how far the run is, after each part.
        /// - Throws: `StoreError` where the store takes no more; what it took before is kept.
        public func run(
            _ tree: inout LogTree, except isLeftOut: @Sendable (String) -> Bool, tell: @Sendable (String) -> Void,
            show: @Sendable (BatchProgress) -> Void
        ) async throws(StoreError) -> BatchProgress {
            var progress = BatchProgress()
            var told = 0
            var finished: [Answer] = []
            while true {
                var part: [LogTree.File] = []
                var bytes: UInt64 = 0
                while part.count < Self.partFiles * jobs, bytes < Self.partBytes * UInt64(jobs), let file = tree.next(except: isLeftOut) {
                    progress.files += 1
                    if try store.content(ofFileAt: file.path, stamp: file.stamp) != nil {
                        progress.known += 1
                        continue
                    }
                    part.append(file)
                    bytes += file.stamp.size
                }
                for problem in tree.problems[told...] { tell(problem) }
                told = tree.problems.count
                async let answers = answer(part)
                try keep(finished, &progress, tell)
                finished = await answers
                show(progress)
                if part.isEmpty {
                    try keep(finished, &progress, tell)
                    show(progress)
                    return progress
                }
            }
        }

        private func answer(_ files: [LogTree.File]) async -> [Answer] {
            let (reader, store) = (reader, store)
            return await withTaskGroup(of: (Int, Answer).self) { group in
                var next = 0
                func add() {
                    guard next < files.count else { return }
                    let number = next
                    let file = files[number]
                    group.addTask { (number, Self.answer(file, reader, store)) }
                    next += 1
                }
                for _ in 0..<jobs { add() }
                var answers = [Answer?](repeating: nil, count: files.count)
                for await (number, answer) in group {
                    answers[number] = answer
                    add()
                }
                return answers.compactMap { $0 }
            }
        }

        private static func answer(_ file: LogTree.File, _ reader: LogReader, _ store: any ReportStore) -> Answer {
            do throws(FileError) {
                let (content, size) = try reader.content(ofFileAt: file.path)
                // A store that cannot be asked says so when it is to keep something.
                if let isKnown = try? store.has(content), isKnown { return Answer(file: file, content: content) }
                return Answer(file: file, content: content, outcome: reader.outcome(ofLogAt: file.path, content, size: size))
            } catch { return Answer(file: file, problem: error.description) }
        }

        private func keep(_ answers: [Answer], _ progress: inout BatchProgress, _ tell: (String) -> Void) throws(StoreError) {
            guard !answers.isEmpty else { return }
            try store.keep(
                answers.compactMap(\.outcome),
                files: answers.compactMap { answer in
                    answer.content.map { StoredFile(path: answer.file.path, stamp: answer.file.stamp, content: $0) }
                })
            for answer in answers {
                progress.bytes += Int64(clamping: answer.file.stamp.size)
                if let problem = answer.problem {
                    progress.unreadable += 1
                    tell(problem)
                }
                guard let outcome = answer.outcome else {
                    progress.known += answer.content == nil ? 0 : 1
                    continue
                }
                progress.logs += 1
                progress.reports += outcome.reports.count
                switch outcome.result {
                case .answered: break
                case .noTrace: progress.withoutTrace += 1
                case .unreadable: progress.unreadable += 1
                }
                if outcome.result == .unreadable { for problem in outcome.problems { tell("\(answer.file.path): \(problem)") } }
            }
        }
    }
#endif
