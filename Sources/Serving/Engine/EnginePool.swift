package import BinaryPrimitives
internal import Synchronization

/// Hands requests to an engine, and starts another one where that ends, hangs or has grown.
///
/// While one request makes the engine end, others are in it. Each of those is handled once more, in
/// a process of its own: what ends that one is to blame, and all others have their responses.
package final class EnginePool: Sendable {
    package struct Settings: Sendable {
        /// Requests that are handled at a time.
        package var atOnce = 4
        /// Requests that wait, at most: more are refused before memory grows.
        package var waiting = 256
        /// Requests with bodies from this size on are large: half of those that are handled at a time may be such.
        package var largeBody = 4 << 20
        /// The time of one request.
        package var time = Duration.seconds(60)
        /// Bytes of an engine's own memory from which on a new one takes its place.
        package var memory = 1 << 30

        package init() {}
    }

    package enum Outcome: Sendable {
        case response(Response)
        /// So many wait that this one had better come later.
        case overloaded
        /// Other clients wait, too, and this one has most of what waits.
        case displaced
        /// It took longer than it may.
        case late
        /// The engine ended, twice.
        case crashed
        /// No engine can be started.
        case unavailable(FileError)
    }

    /// Counters and gauges since the start, for monitoring.
    package struct Figures: Sendable, Hashable {
        package var waiting = 0
        package var running = 0
        package var started = 0
        package var crashes = 0
        package var late = 0
        package var refused = 0
        package var displaced = 0
        /// Memory of the running engine, in bytes.
        package var memory = 0

        package init() {}
    }

    private struct Job: Sendable {
        var request: Request
        var latest: ContinuousClock.Instant
        var done: @Sendable (Outcome) -> Void
    }

    private struct State {
        var engine: Engine?
        var figures = Figures()
        var jobs = FairQueue<Job>()
        var largeRunning = 0
        /// Threads that found large requests alone, which may not begin: for each, one begins when a large one has ended.
        var passedOver = 0
        /// Hashes of requests that made an engine end: they begin in a process of their own.
        var suspects = RecentValues<Int, Void>(count: 1000)
        var isClosed = false
    }

    private let settings: Settings
    private let start: @Sendable (Int) throws(FileError) -> Engine
    private let now: @Sendable () -> ContinuousClock.Instant
    /// Wakes a thread for each request in `State.jobs`.
    private let wakeups = WorkQueue<Void>(maxWeight: .max)
    private let state = Mutex(State())
    /// One suspect at a time, so that many cannot start a process each.
    private let quarantine = Mutex(())

    /// - Parameters:
    ///   - now: the time from which a request's own counts.
    ///   - start: starts an engine for so many requests at a time.
    package init(
        _ settings: Settings, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        start: @escaping @Sendable (Int) throws(FileError) -> Engine
    ) {
        self.settings = settings
        self.now = now
        self.start = start
        for index in 0..<settings.atOnce {
            _ = Parallel.start { [self] in
                while wakeups.next() != nil { if let (job, isLarge) = nextJob() { run(job, through: index, isLarge: isLarge) } }
            }
        }
    }

    /// Whether a request that comes now would be handled: before its body is read.
    package func hasRoom(for client: String) -> Bool {
        state.withLock { $0.jobs.count < settings.waiting || $0.jobs.hasHeavierClient(than: client) }
    }

    private var maxLarge: Int { max(1, settings.atOnce / 2) }

    private func nextJob() -> (Job, isLarge: Bool)? {
        state.withLock { state in
            guard let (job, isLarge) = state.jobs.next(allowsLarge: state.largeRunning < maxLarge) else {
                if state.jobs.count > 0 { state.passedOver += 1 }
                return nil
            }
            if isLarge { state.largeRunning += 1 }
            return (job, isLarge)
        }
    }

    package var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.waiting = state.jobs.count
            return figures
        }
    }

    /// Starts the engine before the first request needs it.
    package func warmUp() throws(FileError) { _ = try current() }

    /// Requests that come from now on are handled by a new engine, which reads its settings again.
    /// The old engine ends when it has done its work.
    package func renew() { state.withLock { $0.engine = nil } }

    /// Accepts no more requests.
    package func close() {
        wakeups.close()
        state.withLock { $0.engine = nil }
    }

    /// Handles a request.
    /// - Parameter client: who sends it. Clients take turns.
    package func respond(to request: Request, from client: String = "") async -> Outcome {
        await withCheckedContinuation { continuation in
            let job = Job(request: request, latest: now() + settings.time) { continuation.resume(returning: $0) }
            let (refusal, displaced, wakes) = state.withLock { state -> (Outcome?, Job?, Bool) in
                var displaced: Job?
                var wakes = true
                if state.jobs.count >= settings.waiting {
                    displaced = state.jobs.displace(for: client)
                    if displaced == nil {
                        state.figures.refused += 1
                        return (state.jobs.hasOthers(than: client) ? .displaced : .overloaded, nil, false)
                    }
                    state.figures.displaced += 1
                    // The wake-up of the displaced one is this one's, unless a thread has passed over it.
                    wakes = state.passedOver > 0
                    if wakes { state.passedOver -= 1 }
                }
                state.jobs.add(job, of: client, isLarge: request.body.count >= settings.largeBody)
                return (nil, displaced, wakes)
            }
            displaced?.done(.displaced)
            if let refusal { return continuation.resume(returning: refusal) }
            if wakes { _ = wakeups.add((), weight: 1) }
        }
    }

    private func current() throws(FileError) -> Engine {
        // The lock is held while it starts: the others would only start more.
        let result: Result<Engine, FileError> = state.withLock { state in
            if let engine = state.engine { return .success(engine) }
            do throws(FileError) {
                let engine = try start(settings.atOnce)
                state.engine = engine
                state.figures.started += 1
                return .success(engine)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func retire(_ engine: Engine) {
        state.withLock { state in
            if state.engine === engine { state.engine = nil }
        }
    }

    private func run(_ job: Job, through socket: Int, isLarge: Bool) {
        state.withLock { $0.figures.running += 1 }
        let outcome = outcome(of: job, through: socket)
        let wakes = state.withLock { state in
            state.figures.running -= 1
            let wakes = isLarge && state.passedOver > 0
            if isLarge { state.largeRunning -= 1 }
            if wakes { state.passedOver -= 1 }
            switch outcome {
            case .late: state.figures.late += 1
            case .overloaded: state.figures.refused += 1
            default: break
            }
            return wakes
        }
        if wakes { _ = wakeups.add((), weight: 1) }
        job.done(outcome)
    }

    private func outcome(of job: Job, through socket: Int) -> Outcome {
        // It waited as long as it may take: its client has given up, or will soon.
        guard job.latest > now() else { return .overloaded }
        let hash = job.request.hash
        if state.withLock({ $0.suspects.value(for: hash) != nil }) { return alone(job, hash) }
        do throws(FileError) {
            let engine = try current()
            do throws(LocalSocket.Failure) {
                let reply = try engine.reply(to: job.request, through: socket, before: job.latest)
                state.withLock { $0.figures.memory = reply.memory }
                if reply.memory > settings.memory { retire(engine) }
                return .response(reply.response)
            } catch {
                // The engine's other requests go on until their own time is over.
                retire(engine)
                return error == .late ? .late : alone(job, hash)
            }
        } catch {
            return .unavailable(error)
        }
    }

    /// Handles a request in a process of its own.
    private func alone(_ job: Job, _ hash: Int) -> Outcome {
        quarantine.withLock { _ in
            do throws(FileError) {
                let engine = try start(1)
                do throws(LocalSocket.Failure) {
                    let reply = try engine.reply(to: job.request, through: 0, before: max(job.latest, now() + settings.time / 2))
                    return .response(reply.response)
                } catch {
                    guard error == .ended else { return .late }
                    state.withLock { state in
                        state.figures.crashes += 1
                        state.suspects.insert((), for: hash)
                    }
                    return .crashed
                }
            } catch {
                return .unavailable(error)
            }
        }
    }
}

extension Request {
    /// Hash of the request's content; a large body counts with its beginning only.
    fileprivate var hash: Int {
        var hasher = Hasher()
        hasher.combine(method)
        hasher.combine(path)
        hasher.combine(query)
        hasher.combine(body.count)
        switch body {
        case .bytes(let bytes): hasher.combine(bytes)
        case .file(let file): hasher.combine(file.bytes(in: 0..<min(file.size, 1 << 16)))
        }
        return hasher.finalize()
    }
}

/// A process that reads symbol files and logs (`EngineHost`), as the process with the connections
/// has it. It ends with this object.
package final class Engine: Sendable {
    private let process: SocketProcess
    var sockets: [LocalSocket] { process.sockets }

    /// - Parameter process: with a socket for each request that it handles at a time.
    package init(_ process: SocketProcess) { self.process = process }

    /// Sends a request through a socket that no other request uses, and waits for the response.
    func reply(to request: Request, through socket: Int, before deadline: ContinuousClock.Instant) throws(LocalSocket.Failure)
        -> EngineReply
    {
        let (message, file) = request.message()
        try sockets[socket].send(message, file, before: deadline)
        let received = try sockets[socket].message(before: deadline)
        guard let reply = EngineReply(received.0, descriptor: received.descriptor) else { throw .ended }
        return reply
    }
}
