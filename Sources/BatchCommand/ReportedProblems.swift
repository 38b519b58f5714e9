internal import BatchProcessing
internal import Synchronization

/// Problems that were printed: a folder that is looked at again and again has the same ones each
/// time.
final class ReportedProblems: Sendable {
    private let reported = Mutex<Set<BatchProblem>>([])
    /// From this number on, the problems that were printed first are printed again.
    private static let limit = 10_000

    func isNew(_ problem: BatchProblem) -> Bool {
        reported.withLock { reported in
            if reported.count >= Self.limit { reported.removeAll() }
            return reported.insert(problem).inserted
        }
    }
}
