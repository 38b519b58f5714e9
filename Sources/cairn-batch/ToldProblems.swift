internal import BatchProcessing
internal import Synchronization

/// Problems that were told: a folder that is looked at again and again has the same ones each time.
final class ToldProblems: Sendable {
    private let told = Mutex<Set<BatchProblem>>([])
    /// From here on what was told first is told again.
    private static let limit = 10_000

    func isNew(_ problem: BatchProblem) -> Bool {
        told.withLock { told in
            if told.count >= Self.limit { told.removeAll() }
            return told.insert(problem).inserted
        }
    }
}
