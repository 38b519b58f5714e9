internal import LibC
internal import Synchronization

extension Parallel {
    private static let maxCount = Atomic(Int.max)

    /// Number of processors that this process may use: those that the machine has online, or fewer
    /// after `limit(to:)`; at least 1.
    package static var processors: Int { max(1, min(maxCount.load(ordering: .relaxed), sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// Uses no more processors from now on: another program counts them for each process.
    package static func limit(to count: Int) { maxCount.store(count, ordering: .relaxed) }
}
