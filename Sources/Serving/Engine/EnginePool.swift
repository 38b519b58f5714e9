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
        /// Hashes of requests that made an engine end: they begin in a process of their own.
        var suspects = RecentValues<Int, Void>(count: 1000)
        var isClosed = false
    }

    private let settings: Settings
    private let start: @Sendable (Int) throws(FileError) -> Engine
    private let now: @Sendable () -> ContinuousClock.Instant
    private let jobs = WorkQueue<Job>(maxWeight: .max)
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
                while let job = jobs.next() { run(job, through: index) }
            }
        }
    }

    /// Whether a request that comes now would be handled: before its body is read.
    package var hasRoom: Bool { state.withLock { $0.figures.waiting < settings.waiting } }

    package var figures: Figures { state.withLock { $0.figures } }

    /// Starts the engine before the first request needs it.
    package func warmUp() throws(FileError) { _ = try current() }

    /// Requests that come from now on are handled by a new engine, which reads its settings again.
    /// The old engine ends when it has done its work.
    package func renew() { state.withLock { $0.engine = nil } }

    /// Accepts no more requests.
    package func close() {
        jobs.close()
        state.withLock { $0.engine = nil }
    }

    /// Handles a request.
    package func respond(to request: Request) async -> Outcome {
        await withCheckedContinuation { continuation in
            let isWelcome = state.withLock { state in
                guard state.figures.waiting < settings.waiting else {
                    state.figures.refused += 1
                    return false
                }
                state.figures.waiting += 1
                return true
            }
            guard isWelcome else { return continuation.resume(returning: .overloaded) }
            let job = Job(request: request, latest: now() + settings.time) { continuation.resume(returning: $0) }
            _ = jobs.add(job, weight: 1)
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

    private func run(_ job: Job, through socket: Int) {
        state.withLock { state in
            state.figures.waiting -= 1
            state.figures.running += 1
        }
        let outcome = outcome(of: job, through: socket)
        state.withLock { state in
            state.figures.running -= 1
            switch outcome {
            case .late: state.figures.late += 1
            case .overloaded: state.figures.refused += 1
            default: break
            }
        }
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
