internal import CCairn
internal import LibC
internal import Synchronization

/// Work that is spread over the processors.
///
/// Plain threads, not Dispatch: they end when the work is done, a lookup of a few addresses starts
/// none, and they have the priority of the thread that starts them.
package enum Parallel {
    private static let maxCount = Atomic(Int.max)

    /// Number of processors that this process may use: those that the machine has online, fewer
    /// where it is bound to some of them (`taskset`, a container's `cpuset`) or after `limit(to:)`; at least 1.
    package static var processors: Int { max(1, min(maxCount.load(ordering: .relaxed), allowed)) }

    private static var allowed: Int {
        let count = Int(cairn_allowed_processors())
        if count > 0 { return count }
        return sysconf(Int32(_SC_NPROCESSORS_ONLN))
    }

    /// Uses no more processors from now on: another program counts them for each process.
    package static func limit(to count: Int) { maxCount.store(count, ordering: .relaxed) }

    /// Transforms each element, several at once.
    /// - Parameter chunk: number of elements that a thread processes at a time: large if one costs
    ///   little.
    /// - Returns: the results in the order of the elements.
    package static func map<Element: Sendable, Result: Sendable>(
        _ elements: [Element], chunk: Int = 16, _ transform: @Sendable (Element) -> Result
    ) -> [Result] {
        map(elements, chunk: chunk, minPerThread: chunk, state: {}) { _, element in transform(element) }
    }

    /// Transforms each element, several at once, with something that each processor has for itself:
    /// buffers, tables that one task fills.
    /// - Parameters:
    ///   - chunk: number of elements that a thread processes at a time: many if one costs little.
    ///   - minPerThread: elements below which no further thread is worth being started.
    ///   - state: made once by each thread.
    /// - Returns: the results in the order of the elements.
    package static func map<Element: Sendable, Result: Sendable, State>(
        _ elements: [Element], chunk: Int = 1, minPerThread: Int, state: @Sendable () -> State,
        _ transform: @Sendable (State, Element) -> Result
    ) -> [Result] {
        let size = max(1, chunk)
        // Finding the number of processors requires reading a file.
        let maxThreads = elements.count / max(1, minPerThread)
        let threads = maxThreads > 1 ? min(maxThreads, processors) : 1
        guard threads > 1 else {
            let state = state()
            return elements.map { transform(state, $0) }
        }
        let next = Atomic(0)
        let parts = Mutex<[(first: Int, results: [Result])]>([])
        run(onThreads: threads) {
            let state = state()
            // The next free thread gets the next elements: their costs differ a thousandfold.
            while true {
                let end = next.add(size, ordering: .relaxed).newValue
                guard end - size < elements.count else { break }
                let results = elements[end - size..<min(end, elements.count)].map { transform(state, $0) }
                parts.withLock { $0.append((end - size, results)) }
            }
        }
        // A loop: for `flatMap` the runtime first builds a description of each of its types.
        var results: [Result] = []
        results.reserveCapacity(elements.count)
        for part in parts.withLock({ $0.sorted { $0.first < $1.first } }) { results += part.results }
        return results
    }

    /// Does two things at once.
    /// - Parameter worthwhile: whether a thread may be started for it; else one is done after the
    ///   other.
    package static func both<First: Sendable, Second: Sendable>(
        worthwhile: Bool, _ first: @Sendable () -> First, _ second: @Sendable () -> Second
    ) -> (First, Second) {
        guard worthwhile, processors > 1 else { return (first(), second()) }
        let results = Mutex<(First?, Second?)>((nil, nil))
        let next = Atomic(0)
        run(onThreads: 2) {
            while true {
                switch next.add(1, ordering: .relaxed).newValue {
                case 1:
                    let result = first()
                    results.withLock { $0.0 = result }
                case 2:
                    let result = second()
                    results.withLock { $0.1 = result }
                default: return
                }
            }
        }
        let done = results.withLock { $0 }
        return (done.0 ?? first(), done.1 ?? second())
    }

    /// Runs `body` on several threads, of which this one is the first, and waits for all of them.
    /// Uses fewer if a thread cannot be started.
    package static func run(onThreads count: Int, _ body: @Sendable () -> Void) {
        withoutActuallyEscaping(body) { body in
            let shared = Work(body)
            var threads: [pthread_t] = []
            for _ in 1..<count {
                guard let thread = begin(shared) else { break }
                threads.append(thread)
            }
            body()
            for thread in threads { _ = pthread_join(thread, nil) }
        }
    }

    /// Runs `body` on a separate thread, without waiting for it.
    /// - Returns: `false` where it cannot be started.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = begin(Work(body)) else { return false }
        return pthread_detach(thread) == 0
    }

    private static func begin(_ work: Work) -> pthread_t? {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let argument = unsafe Unmanaged.passRetained(work)
        let code = unsafe cairn_begin_thread(
            &thread,
            { argument in
                #if canImport(Darwin)
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                #else
                    if let argument = unsafe argument { unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
                #endif
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            unsafe argument.release()
            return nil
        }
        return thread
    }

    /// Work that is passed to a thread.
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}
