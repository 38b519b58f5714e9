internal import BatchProcessing
internal import BinaryPrimitives
internal import Synchronization

/// Problems that were printed: a folder that is looked at again and again has the same ones each
/// time.
final class ReportedProblems: Sendable {
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
