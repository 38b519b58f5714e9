package import BinaryPrimitives
internal import Synchronization

/// Records in, as many records out, in the same order. Memory does not grow with the stream.
///
/// One thread reads. Each of the others has a process that reads logs (`StreamWorker`). A line is
/// written as soon as all before it are, by the thread that has it: a caller that waits for each
/// reply has it at once.
package struct StreamRun: Sendable {
    package struct Settings: Sendable {
        package var framing = StreamFraming.ndjson
        /// Records that are read at once.
        package var jobs = 1
        /// The time of one record.
        package var time = Duration.seconds(60)
        /// The time from which a record's own counts.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }
        /// Bytes of one record.
        package var maxRecordBytes = 64 << 20
        /// Bytes of a process's own memory from which on it is replaced by a new one.
        package var memory = 1 << 30

        package init() {}
    }

    package struct Figures: Sendable, Hashable {
        package var records = 0
        package var errors = 0
        /// Records that no process could be started for.
        package var unavailable = 0
    }

    /// Starts a process.
    /// - Parameter makesIndexes: Whether it makes indexes of symbol files that do not have one.
    package typealias Starter = @Sendable (_ makesIndexes: Bool) throws(FileError) -> SocketProcess

    private let settings: Settings
    private let start: Starter

    package init(_ settings: Settings, start: @escaping Starter) {
        self.settings = settings
        self.start = start
    }

    /// Lines that wait for one before them, for each job: one slow record stops the others then.
    private static let waitingLines = 32

    private struct Task: Sendable {
        var number: Int
        var record: StreamRecord
    }

    /// Reads to the end of the input.
    /// - Parameters:
    ///   - read: Returns the next bytes; an empty array at the end.
    ///   - write: Writes lines.
    ///   - fail: Called once, from any thread, if `write` throws: nothing more can be written.
    package func run(
        read: () throws(FileError) -> [UInt8], write: @escaping @Sendable ([UInt8]) throws(FileError) -> Void,
        fail: @escaping @Sendable (FileError) -> Void
    ) throws(FileError) -> Figures {
        let tasks = WorkQueue<Task>(maxWeight: .max)
        // One record is read while the others are worked on.
        let room = Tokens(settings.jobs + 1)
        let window = Tokens(settings.jobs * Self.waitingLines)
        let output = OrderedLines(window, write, fail)
        let ended = Tokens(0)
        let makesIndexes = StreamFlag()
        var threads = 0
        for _ in 0..<settings.jobs {
            let isStarted = Parallel.start { [settings, start] in
                do {
                    // Its process has ended when it goes.
                    var worker = StreamWorker(settings, makesIndexes: makesIndexes, start: start)
                    while let task = tasks.next() {
                        let reply = worker.reply(to: task.record)
                        room.release()
                        output.put(reply, task.number)
                    }
                }
                ended.release()
            }
            if isStarted { threads += 1 }
        }
        // ENOMEM, everywhere.
        guard threads > 0 else { throw FileError(path: "no thread can be started", errorNumber: 12) }
        var failure: FileError?
        do throws(FileError) {
            var reader = StreamReader(settings.framing, largest: settings.maxRecordBytes)
            var number = 0
            while true {
                window.acquire()
                room.acquire()
                guard let record = try reader.next(read) else { break }
                _ = tasks.add(Task(number: number, record: record), weight: 0)
                number += 1
            }
        } catch { failure = error }
        tasks.close()
        for _ in 0..<threads { ended.acquire() }
        if let failure { throw failure }
        return output.figures
    }
}

/// Writes lines in the order of their numbers.
private final class OrderedLines: Sendable {
    private struct State {
        var next = 0
        var waiting: [Int: StreamReply] = [:]
        var figures = StreamRun.Figures()
        var hasFailed = false
    }

    private let state = Mutex(State())
    private let window: Tokens
    private let write: @Sendable ([UInt8]) throws(FileError) -> Void
    private let fail: @Sendable (FileError) -> Void

    init(
        _ window: Tokens, _ write: @escaping @Sendable ([UInt8]) throws(FileError) -> Void, _ fail: @escaping @Sendable (FileError) -> Void
    ) {
        self.window = window
        self.write = write
        self.fail = fail
    }

    var figures: StreamRun.Figures { state.withLock(\.figures) }

    func put(_ reply: StreamReply, _ number: Int) {
        state.withLock { state in
            state.waiting[number] = reply
            while let reply = state.waiting.removeValue(forKey: state.next) {
                state.next += 1
                state.figures.records += 1
                state.figures.errors += reply.isError ? 1 : 0
                state.figures.unavailable += reply.isUnavailable ? 1 : 0
                window.release()
                guard !state.hasFailed else { continue }
                do throws(FileError) { try write(reply.line) } catch {
                    state.hasFailed = true
                    fail(error)
                }
            }
        }
    }
}

/// Something that so many may have at a time.
private struct Tokens: Sendable {
    private let queue = WorkQueue<Void>(maxWeight: .max)

    init(_ count: Int) { for _ in 0..<count { release() } }

    func release() { _ = queue.add((), weight: 0) }

    /// Waits until there is one.
    func acquire() { _ = queue.next() }
}
