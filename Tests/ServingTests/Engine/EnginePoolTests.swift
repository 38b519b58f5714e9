import BinaryPrimitives
import CrashLogModel
import Serving
import SymbolFiles
import Symbolication
import Synchronization
import Testing

/// The engine is another process; here it is a thread at the other end of the same sockets.
@Suite struct EnginePoolTests {
    @Test func `requests have the responses that the service gives`() async throws {
        let pool = Self.pool(settings()) { _, _ in }
        defer { pool.close() }
        for name in ["a.so", "b.so"] {
            let response = try #require(await pool.respond(to: Self.request(name)).response)
            #expect(response.status == 200)
            #expect(response.json?["results"]?.elements.first?["found_modules"]?.members.first?.key == "\(name)/\(Self.id)")
        }
        #expect(pool.figures.started == 1)
        #expect(pool.figures.waiting == 0 && pool.figures.running == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func `large bodies and responses go through files`() async throws {
        let pool = Self.pool(settings()) { _, _ in }
        defer { pool.close() }
        // 3 MB: more than a message holds.
        let frames = Array(repeating: "[0,4096]", count: 90_000).joined(separator: ",")
        let body = Array(#"{"memoryMap":[["a.so","\#(Self.id)"]],"stacks":[[\#(frames)]]}"#.utf8)
        var spool = UnlinkedFile(largestInMemory: 0)
        try spool.append(body)
        let request = Request("POST", "/symbolicate/v5", body: .file(try spool.finish(path: "the request")))
        let response = try #require(await pool.respond(to: request).response)
        #expect(response.status == 200)
        guard case .file(_, let range) = response.body else { return #expect(Bool(false), "in memory") }
        #expect(range.count > EngineHost.maxInlineBytes)
        #expect(response.json?["results"]?.elements.first?["stacks"]?.elements.first?.elements.count == 90_000)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request that ends the engine ends no other`() async throws {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let gate = WorkQueue<Void>(maxWeight: .max)
        let looks = Atomic(0)
        let pool = Self.pool(settings()) { name, sockets in
            if name == "crash.so" { for socket in sockets { socket.shutDown() } }
            // The first time it is in work until the crash has come; then it is in a process of its
            // own.
            if name == "slow.so", looks.add(1, ordering: .relaxed).newValue == 1 {
                begin.finish()
                _ = gate.next()
            }
        }
        defer {
            gate.close()
            pool.close()
        }
        async let slow = pool.respond(to: Self.request("slow.so"))
        for await _ in begun {}
        let crashed = await pool.respond(to: Self.request("crash.so"))
        guard case .crashed = crashed else { return #expect(Bool(false), "\(crashed)") }
        #expect(await slow.response?.status == 200)
        #expect(await pool.respond(to: Self.request("a.so")).response?.status == 200)
        #expect(pool.figures.crashes == 1)
        // Known by now, it begins alone: the engine of the others goes on.
        let started = pool.figures.started
        guard case .crashed = await pool.respond(to: Self.request("crash.so")) else { return #expect(Bool(false), "no crash") }
        #expect(await pool.respond(to: Self.request("a.so")).response?.status == 200)
        #expect(pool.figures.started == started)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request that takes too long ends, and the others go on`() async throws {
        var settings = settings()
        settings.time = .milliseconds(400)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let gate = WorkQueue<Void>(maxWeight: .max)
        let clock = Mutex(ContinuousClock.now)
        let pool = Self.pool(settings, now: { clock.withLock { $0 } }) { name, _ in
            guard name == "stuck.so" else { return }
            begin.finish()
            _ = gate.next()
        }
        defer {
            gate.close()
            pool.close()
        }
        let stuck = Task {
            let outcome = await pool.respond(to: Self.request("stuck.so"))
            begin.finish()
            return outcome
        }
        for await _ in begun {}
        // Those that come later have an hour more.
        clock.withLock { $0 += .seconds(3600) }
        for _ in 0..<3 { #expect(await pool.respond(to: Self.request("a.so")).response?.status == 200) }
        guard case .late = await stuck.value else { return #expect(Bool(false), "it ended in time") }
        #expect(await pool.respond(to: Self.request("a.so")).response?.status == 200)
        #expect(pool.figures.late == 1 && pool.figures.started == 2)
    }

    @Test(.timeLimit(.minutes(5)))
    func `more than may wait are refused`() async throws {
        var settings = settings()
        (settings.atOnce, settings.waiting) = (1, 2)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let gate = WorkQueue<Void>(maxWeight: .max)
        let pool = Self.pool(settings) { _, _ in
            begin.finish()
            _ = gate.next()
        }
        defer { pool.close() }
        // One is in work, two wait.
        async let first = pool.respond(to: Self.request("a.so"))
        for await _ in begun {}
        async let second = pool.respond(to: Self.request("a.so"))
        async let third = pool.respond(to: Self.request("a.so"))
        while pool.figures.waiting < 2 { await Task.yield() }
        for _ in 0..<5 {
            guard case .overloaded = await pool.respond(to: Self.request("a.so")) else { return #expect(Bool(false), "it waits") }
        }
        #expect(pool.figures.refused == 5)
        gate.close()
        for outcome in await [first, second, third] { #expect(outcome.response?.status == 200) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `small requests pass large ones`() async throws {
        var settings = settings()
        (settings.atOnce, settings.largeBody) = (2, 10_000)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let gate = WorkQueue<Void>(maxWeight: .max)
        let pool = Self.pool(settings) { name, _ in
            guard name == "large.so" else { return }
            begin.finish()
            _ = gate.next()
        }
        defer { pool.close() }
        let large = Self.request("large.so", padding: 10_000)
        async let first = pool.respond(to: large, from: "a")
        for await _ in begun {}
        // One of two places is for small ones: these wait.
        async let second = pool.respond(to: large, from: "a")
        async let third = pool.respond(to: large, from: "b")
        while pool.figures.waiting < 2 { await Task.yield() }
        for client in ["a", "b", "c"] { #expect(await pool.respond(to: Self.request("a.so"), from: client).response?.status == 200) }
        #expect(pool.figures.waiting == 2 && pool.figures.running == 1)
        gate.close()
        for outcome in await [first, second, third] { #expect(outcome.response?.status == 200) }
    }

    @Test(.timeLimit(.minutes(5)))
    func `where too many wait, the client with most gives its newest up`() async throws {
        var settings = settings()
        (settings.atOnce, settings.waiting) = (1, 2)
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let gate = WorkQueue<Void>(maxWeight: .max)
        let pool = Self.pool(settings) { _, _ in
            begin.finish()
            _ = gate.next()
        }
        defer { pool.close() }
        async let first = pool.respond(to: Self.request("a.so"), from: "many")
        for await _ in begun {}
        async let second = pool.respond(to: Self.request("a.so"), from: "many")
        while pool.figures.waiting < 1 { await Task.yield() }
        async let third = pool.respond(to: Self.request("a.so"), from: "many")
        while pool.figures.waiting < 2 { await Task.yield() }
        #expect(!pool.hasRoom(for: "many") && pool.hasRoom(for: "few"))
        async let other = pool.respond(to: Self.request("a.so"), from: "few")
        guard case .displaced = await third else { return #expect(Bool(false), "it waits") }
        guard case .displaced = await pool.respond(to: Self.request("a.so"), from: "many") else { return #expect(Bool(false), "it waits") }
        #expect(pool.figures.waiting == 2 && pool.figures.displaced == 1 && pool.figures.refused == 1)
        gate.close()
        for outcome in await [first, second, other] { #expect(outcome.response?.status == 200) }
    }

    @Test func `where no engine starts, that is said`() async {
        let pool = EnginePool(settings()) { (_) throws(FileError) in throw FileError(path: "cairn-tools", errorNumber: 2) }
        defer { pool.close() }
        guard case .unavailable(let error) = await pool.respond(to: Self.request("a.so")) else { return #expect(Bool(false)) }
        #expect(error.path == "cairn-tools")
    }

    // MARK: - Engines

    private static let id = "20AD60B0B4C68177552708AA192E77390"

    private func settings() -> EnginePool.Settings {
        var settings = EnginePool.Settings()
        settings.atOnce = 3
        settings.time = .seconds(20)
        return settings
    }

    /// - Parameter padding: blanks after the body.
    private static func request(_ module: String, padding: Int = 0) -> Request {
        let text = #"{"memoryMap":[["\#(module)","\#(id)"]],"stacks":[[[0,4096]]]}"# + String(repeating: " ", count: padding)
        return Request("POST", "/symbolicate/v5", body: Array(text.utf8))
    }

    /// - Parameter look: called when the symbols of a module are looked for.
    private static func pool(
        _ settings: EnginePool.Settings, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        look: @escaping @Sendable (_ name: String, _ sockets: [LocalSocket]) -> Void
    ) -> EnginePool {
        EnginePool(settings, now: now) { (count) throws(FileError) in
            var (own, others): ([LocalSocket], [LocalSocket]) = ([], [])
            for _ in 0..<count {
                let (mine, other) = try LocalSocket.pair()
                own.append(mine)
                others.append(other)
            }
            let host = EngineHost(Service(Symbolicator(provider: Watched { [others] name in look(name, others) })))
            _ = Parallel.start { [others] in host.run(others) }
            return Engine(SocketProcess(sockets: own))
        }
    }

    private struct Watched: SymbolProvider {
        let look: @Sendable (String) -> Void

        func symbols(for request: ImageRequest) -> ImageSymbols {
            look(request.name)
            return ImageSymbols(source: nil)
        }

        func unslidImages(processName: String?) -> [UnslidImage] { [] }
    }
}

extension EnginePool.Outcome {
    fileprivate var response: Response? { if case .response(let response) = self { response } else { nil } }
}
