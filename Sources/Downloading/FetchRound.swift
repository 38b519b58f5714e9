internal import BinaryPrimitives
internal import LibC
internal import ObjectFiles
internal import SymbolFiles
internal import Synchronization

/// The search for one file among all servers.
struct FetchRound {
    let file: RequestedFile
    let servers: [Server]
    let settings: FetchSettings
    let cache: DownloadCache
    let space: DownloadSpace
    let progress: FetchProgress?
    let open: SymbolFileOpener

    /// A server, and what is still to be requested from it.
    struct Server {
        let server: any FileServer
        /// Paths on the server and in the cache, the likeliest first.
        var paths: ArraySlice<(path: String, target: String)>
        var retries: Int
        /// Its verdict; `nil` until it has replied.
        var verdict: Verdict?

        init(_ server: any FileServer, _ paths: [(path: String, target: String)], retries: Int) {
            (self.server, self.paths, self.retries) = (server, paths[...], retries)
        }
    }

    private var states: [Server]

    enum Verdict: Sendable {
        case absent(note: String?)
        case failed(String)
    }

    /// A file at its final path.
    struct Found {
        var path: String
        var server: String
        var check: ArrivalCheck
    }

    /// Bytes that a server must have sent when `FetchSettings.timeout` is over.
    private static let firstBytes = 100 << 10

    init(
        file: RequestedFile, servers: [Server], settings: FetchSettings, cache: DownloadCache, space: DownloadSpace,
        progress: FetchProgress?, open: @escaping SymbolFileOpener
    ) {
        self.file = file
        self.servers = servers
        self.settings = settings
        self.cache = cache
        self.space = space
        self.progress = progress
        self.open = open
        states = servers
    }

    /// Reason why there is no file, after `run` has not found one.
    var failure: DownloadResult.Outcome {
        let message = states.map { state in
            switch state.verdict {
            case .absent(let note): "\(state.server.name) \(note ?? "does not have it")"
            case .failed(let message): "\(state.server.name): \(message)"
            case nil: "\(state.server.name): no reply in time"
            }
        }.joined(separator: "; ")
        return isMissing ? .missing(message) : .failed(message)
    }

    private var isMissing: Bool { states.allSatisfy { if case .absent = $0.verdict { true } else { false } } }

    /// Requests the file from the servers that have not responded yet, until one has sent it or all have given
    /// a reason.
    mutating func run(before deadline: ContinuousClock.Instant) async -> Found? {
        while let (index, body) = await firstFile(before: deadline) {
            do {
                return try await download(body, from: index, before: deadline)
            } catch {
                let failure = (error as? FetchFailure) ?? FetchFailure(message: "\(error)")
                if failure.isTransient, states[index].retries > 0 {
                    states[index].retries -= 1
                } else {
                    states[index].verdict = .failed(failure.message)
                }
            }
        }
        if isMissing {
            for target in Set(servers.flatMap { $0.paths.map(\.target) }) where cache.isShared(target) { cache.recordMiss(at: target) }
        }
        return nil
    }

    /// The first server that has the file, and its response; `nil` if none has.
    private mutating func firstFile(before deadline: ContinuousClock.Instant) async -> (Int, FileBody)? {
        let requested = states.indices.filter { states[$0].verdict == nil }
        guard !requested.isEmpty, deadline > .now else { return nil }
        let (current, cache) = (self.states, self.cache)
        let (first, replies) = await withTaskGroup(of: (Int, Reply).self) { group in
            for index in requested {
                group.addTask { (index, await Self.reply(of: current[index], cache, before: deadline)) }
            }
            // The others are not waited for.
            defer { group.cancelAll() }
            var replies: [(Int, Reply)] = []
            for await (index, reply) in group {
                replies.append((index, reply))
                if case .file(let body) = reply.reply { return ((index, body) as (Int, FileBody)?, replies) }
            }
            return (nil, replies)
        }
        for (index, reply) in replies {
            self.states[index].paths = reply.paths
            switch reply.reply {
            case .file: break
            case .absent(let note): self.states[index].verdict = .absent(note: note)
            case .failed(let message, _): self.states[index].verdict = .failed(message)
            }
        }
        return first
    }

    /// A server's reply, and the paths that begin with the one it is about.
    private struct Reply: Sendable {
        var reply: ServerReply
        var paths: ArraySlice<(path: String, target: String)>
    }

    /// Requests a server's paths one after the other, until it has one of them.
    private static func reply(of state: Server, _ cache: DownloadCache, before deadline: ContinuousClock.Instant) async -> Reply {
        var paths = state.paths
        var note: String?
        while let (path, target) = paths.first {
            var reply = ServerReply.absent()
            // What is shared is missing where no server has it.
            if cache.isShared(target) || cache.entry(at: target).map({ if case .missing = $0 { false } else { true } }) ?? true {
                reply = await Self.reply(of: state.server, to: path, retries: state.retries, before: deadline)
            }
            guard case .absent(let own) = reply else { return Reply(reply: reply, paths: paths) }
            note = note ?? own
            // Who has no access now may have it with the next key.
            if own == nil, !cache.isShared(target) { cache.recordMiss(at: target) }
            paths.removeFirst()
        }
        return Reply(reply: .absent(note: note), paths: paths)
    }

    /// Sends the request, and repeats it after increasing pauses if the server replies that it is only busy.
    private static func reply(
        of server: any FileServer, to path: String, retries: Int, before deadline: ContinuousClock.Instant
    ) async -> ServerReply {
        var pause = Duration.milliseconds(200)
        var left = retries
        while true {
            let reply = await server.fetch(path, before: deadline)
            guard case .failed(_, isTransient: true) = reply, left > 0, .now + pause < deadline,
                (try? await Task.sleep(for: pause)) != nil
            else { return reply }
            left -= 1
            pause *= 2
        }
    }

    /// Takes the file, as long as it comes fast enough.
    private func download(_ body: FileBody, from index: Int, before deadline: ContinuousClock.Instant) async throws -> Found {
        if let size = body.size, size > settings.sizeLimit { throw tooLarge }
        let start = ContinuousClock.now
        let end = settings.downloadTime.map { min(deadline, start + $0) } ?? deadline
        let begun = settings.timeout.map { start + $0 }
        let count = ByteCount()
        return try await withThrowingTaskGroup(of: Found?.self) { group in
            group.addTask { try await write(body, from: index, count) }
            group.addTask {
                if let begun, begun < end {
                    try await Task.sleep(until: begun, clock: .continuous)
                    guard count.value >= Self.firstBytes else {
                        throw FetchFailure(message: "it sent no more than \(count.value) bytes in \((begun - start).text)")
                    }
                }
                try await Task.sleep(until: end, clock: .continuous)
                throw FetchFailure(message: "it timed out after \(count.value) bytes")
            }
            defer { group.cancelAll() }
            guard let found = try await group.next() ?? nil else { throw FetchFailure(message: "no file") }
            return found
        }
    }

    private func write(_ body: FileBody, from index: Int, _ count: ByteCount) async throws -> Found {
        guard let target = states[index].paths.first?.target else { throw FetchFailure(message: "no file") }
        do {
            var incoming = try IncomingFile(for: target, in: cache)
            for try await piece in body.pieces {
                guard incoming.size + piece.count <= settings.sizeLimit else { throw tooLarge }
                try incoming.append(piece)
                count.add(piece.count)
                progress?.add(piece.count)
            }
            // A cancelled task's pieces just end.
            try Task.checkCancellation()
            if let size = body.size, size != incoming.size {
                throw FetchFailure(message: "it broke off after \(incoming.size) of \(size) bytes", isTransient: true)
            }
            let check = ArrivalCheck(path: incoming.path, file, open)
            if let problem = check.problem { throw FetchFailure(message: "it sent another file: \(problem)") }
            space.add(incoming.size)
            return Found(path: try incoming.finish(), server: states[index].server.name, check: check)
        } catch let problem as FileError {
            // Where others fill the disk, older downloads make room once.
            let hasRoom = problem.errorNumber == ENOSPC && space.makeRoom(for: body.size ?? 1 << 28)
            throw FetchFailure(message: "the file cannot be stored: \(problem.description)", isTransient: hasRoom)
        } catch let failure as FetchFailure {
            throw failure
        } catch {
            throw FetchFailure(message: "\(error)")
        }
    }

    private var tooLarge: FetchFailure { FetchFailure(message: "the file is larger than \(settings.sizeLimit) bytes") }
}

/// Bytes that have arrived.
private final class ByteCount: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.wrappingAdd(bytes, ordering: .relaxed) }
}

/// Whether a file is the requested one.
struct ArrivalCheck {
    /// Why it is not; `nil` if it is.
    var problem: String?
    /// The build ID of the file that holds what `dwz` moved out of this one (`.gnu_debugaltlink`).
    var supplementary: ImageID?

    init(path: String, _ file: RequestedFile, _ open: SymbolFileOpener) {
        // Nothing in a source file says which it is.
        if case .source = file.kind { return }
        let files: [any SymbolFile]
        do throws(ObjectFileError) { files = try open(path) } catch {
            problem = "not an object file"
            return
        }
        let image = file.image
        let found = files.first {
            image.matches(id: $0.identity, debugIdentifier: $0.debugIdentifier, codeIdentifier: $0.codeIdentifier)
        }
        guard let found else {
            let other = files.first.flatMap { $0.identity?.hexadecimal ?? $0.codeIdentifier }
            problem = other.map { "its build ID is \($0)" } ?? "it has no build ID"
            return
        }
        supplementary = (found as? ObjectFile).flatMap(Self.supplementary)
    }

    /// `.gnu_debugaltlink`: a path, a zero byte, and the build ID (GDB's manual, "MiniDebugInfo"
    /// and dwz(1)).
    private static func supplementary(of object: ObjectFile) -> ImageID? {
        guard let section = object.section(named: ".gnu_debugaltlink"), section.size <= 1 << 13,
            let contents = try? object.contents(of: section)
        else { return nil }
        return contents.withBytes { bytes in
            guard let length = bytes.lengthOfCString() else { return nil }
            return ImageID(bytes: (min(length + 1, bytes.byteCount)..<bytes.byteCount).map { bytes.byte(at: $0) })
        }
    }
}
