internal import BinaryPrimitives

/// Threads for dumps of large sections. They wait from the beginning, because a process that is
/// sealed can start none (`Worker`).
package final class DumpThreads: Sendable {
    private let work = WorkQueue<@Sendable () -> Void>(maxWeight: .max)
    private let done = WorkQueue<Void>(maxWeight: .max)
    private let helpers: Int
    /// The bytes of entries from which on several threads are worth it.
    let minBytes: Int
    package static let minBytes = 1 << 20
    /// The bytes of text that are kept until it is their turn.
    let maxKept: Int

    /// - Parameters:
    ///   - count: how many there are together with the thread that calls `run`.
    ///   - minBytes: of a section's entries: for fewer the calling thread is enough.
    ///   - maxKept: bytes of text that may wait for what comes before it.
    package init(_ count: Int, minBytes: Int = DumpThreads.minBytes, maxKept: Int = 32 << 20) {
        self.minBytes = minBytes
        self.maxKept = maxKept
        var started = 0
        for _ in 1..<max(1, count) {
            let isStarted = Parallel.start { [work, done] in
                while let body = work.next() {
                    body()
                    _ = done.add((), weight: 0)
                }
            }
            if isStarted { started += 1 }
        }
        helpers = started
    }

    deinit { work.close() }

    var count: Int { helpers + 1 }

    /// Runs `body` on each of them, with the thread's number from 0 on, and waits until all have
    /// returned.
    func run(_ body: @escaping @Sendable (Int) -> Void) {
        for number in 0..<helpers { _ = work.add({ body(number + 1) }, weight: 0) }
        body(0)
        for _ in 0..<helpers { _ = done.next() }
    }
}
