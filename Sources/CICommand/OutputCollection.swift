internal import BinaryPrimitives
internal import Reporting
internal import Symbolication
internal import TestReports

/// Collects the failures of a run from its two streams, in the order in which their text and reports come.
///
/// To find stacks and to read the lines of test runners takes about the same time. Once a command prints much at a time, a
/// second thread reads the lines, and the output does not wait for it.
struct OutputCollection: ~Copyable {
    private let reading: OutputReading
    private var hasThread = false

    /// Text at once (bytes) from which on a thread is worth its start. Pipes hold 64 KiB.
    private static let textForThread = 32 << 10

    init(_ failures: consuming FailureCollector) { reading = OutputReading(failures) }

    deinit { reading.tasks.close() }

    /// Adds what comes next on a stream.
    /// - Parameter stream: 0 standard output, 1 standard error.
    mutating func add(_ passage: LiveLog.Passage, of stream: Int) {
        if !hasThread, case .text(let bytes) = passage, bytes.count >= Self.textForThread, Parallel.processors > 1 {
            let reading = reading
            hasThread = Parallel.start { reading.run() }
        }
        guard hasThread else { return reading.withState { $0.read(passage, of: stream) } }
        let task = OutputReading.Task.read(passage, stream: stream)
        let weight = min(passage.weight, OutputReading.maxWaiting)
        if reading.tasks.add(task, weight: weight) { return }
        waitForThread()
        _ = reading.tasks.add(task, weight: weight)
    }

    /// Ends the incomplete lines of both streams.
    func endLines() { use { $0.endLines() } }

    /// Uses the collector, which has read all that was added.
    func withFailures<Result>(_ body: (inout FailureCollector) -> Result) -> Result { use { body(&$0.failures) } }

    private func use<Result>(_ body: (inout OutputReading.State) -> Result) -> Result {
        if hasThread { waitForThread() }
        return reading.withState(body)
    }

    private func waitForThread() {
        // What weighs nothing is never refused.
        _ = reading.tasks.add(.confirm, weight: 0)
        _ = reading.confirmations.next()
    }
}

/// What the two threads of an `OutputCollection` share.
@safe private final class OutputReading: Sendable {
    struct State: Sendable {
        var failures: FailureCollector
        /// Text of standard output and of standard error, on its way to the collector.
        private var lines = [OutputLines(), OutputLines()]

        init(failures: FailureCollector) { self.failures = failures }

        mutating func read(_ passage: LiveLog.Passage, of stream: Int) {
            switch passage {
            case .text(let bytes): lines[stream].feed(bytes, to: &failures)
            case .traces(let reports):
                lines[stream].finish(to: &failures)
                for report in reports { failures.add(report) }
            }
        }

        mutating func endLines() { for index in lines.indices { lines[index].finish(to: &failures) } }
    }

    enum Task: Sendable {
        case read(LiveLog.Passage, stream: Int)
        /// All tasks before it are done.
        case confirm
    }

    /// Most that waits (bytes).
    static let maxWaiting = 2 << 20

    /// One thread uses it at a time: the second one until it confirms, then the first until it adds a task. The queues hand it over, so
    /// that no lock is held while the collector reads sources.
    private nonisolated(unsafe) var state: State
    let tasks = WorkQueue<Task>(maxWeight: maxWaiting)
    let confirmations = WorkQueue<Void>(maxWeight: .max)

    init(_ failures: FailureCollector) { unsafe state = State(failures: failures) }

    /// Only for the thread whose turn it is.
    func withState<Result>(_ body: (inout State) -> Result) -> Result { unsafe body(&state) }

    /// Reads all that comes, until the tasks are closed.
    func run() {
        while let task = tasks.next() {
            switch task {
            case .read(let passage, let stream): withState { $0.read(passage, of: stream) }
            case .confirm: _ = confirmations.add((), weight: 0)
            }
        }
    }
}

extension LiveLog.Passage {
    /// About the memory that it needs (bytes).
    fileprivate var weight: Int {
        switch self {
        case .text(let bytes): bytes.count
        case .traces(let reports): reports.count * (64 << 10)
        }
    }
}
