internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Synchronization

/// The search for one file among all servers.
struct FetchRound {
    let question: DebuginfodRequest
    let servers: [any DebuginfodServer]
    let settings: FetchSettings
    let cache: DownloadCache
    let progress: FetchProgress?

    /// Verdict of each server, in their order; `nil` for one that has not replied.
    private var verdicts: [Verdict?]
    private var retries: [Int]

    private enum Verdict {
        case absent
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
        question: DebuginfodRequest, servers: [any DebuginfodServer], settings: FetchSettings, cache: DownloadCache,
        progress: FetchProgress?
    ) {
        self.question = question
        self.servers = servers
        self.settings = settings
        self.cache = cache
        self.progress = progress
        verdicts = servers.map { _ in nil }
        retries = servers.map { _ in settings.retries }
    }

    /// Reason why there is no file, after `run` has not found one.
    var failure: DebuginfodResult.Outcome {
        let message = zip(servers, verdicts).map { server, verdict in
            switch verdict {
            case .absent: "\(server.url) does not have it"
            case .failed(let message): "\(server.url): \(message)"
            case nil: "\(server.url): no reply in time"
            }
        }.joined(separator: "; ")
        let isMissing = verdicts.allSatisfy { if case .absent = $0 { true } else { false } }
        return isMissing ? .missing(message) : .failed(message)
    }

    /// Requests the file from the servers that have not responded yet, until one has sent it or all have given
    /// a reason.
    mutating func run(before deadline: ContinuousClock.Instant) async -> Found? {
        while let (index, body) = await firstFile(before: deadline) {
            do {
                return try await download(body, from: servers[index].url, before: deadline)
            } catch {
                let failure = (error as? FetchFailure) ?? FetchFailure(message: "\(error)")
                if failure.isTransient, retries[index] > 0 {
                    retries[index] -= 1
                } else {
                    verdicts[index] = .failed(failure.message)
                }
            }
        }
        if case .missing = failure { cache.recordMiss(of: question) }
        return nil
    }

    /// The first server that has the file, and its response; `nil` if none has.
    private mutating func firstFile(before deadline: ContinuousClock.Instant) async -> (Int, FileBody)? {
        let requested = servers.indices.filter { verdicts[$0] == nil }
        guard !requested.isEmpty, deadline > .now else { return nil }
        let (question, servers, retries) = (question, servers, retries)
        let (first, replies) = await withTaskGroup(of: (Int, ServerReply).self) { group in
            for index in requested {
                group.addTask { (index, await Self.reply(of: servers[index], to: question, retries: retries[index], before: deadline)) }
            }
            // The others are not waited for.
            defer { group.cancelAll() }
            var replies: [(Int, Verdict)] = []
            for await (index, reply) in group {
                switch reply {
                case .file(let body): return ((index, body) as (Int, FileBody)?, replies)
                case .absent: replies.append((index, .absent))
                case .failed(let message, _): replies.append((index, .failed(message)))
                }
            }
            return (nil, replies)
        }
        for (index, verdict) in replies { verdicts[index] = verdict }
        return first
    }

    /// Sends the request, and repeats it after increasing pauses if the server replies that it is only busy.
    private static func reply(
        of server: any DebuginfodServer, to question: DebuginfodRequest, retries: Int, before deadline: ContinuousClock.Instant
    ) async -> ServerReply {
        var pause = Duration.milliseconds(200)
        var left = retries
        while true {
            let reply = await server.fetch(question, before: deadline)
            guard case .failed(_, isTransient: true) = reply, left > 0, .now + pause < deadline,
                (try? await Task.sleep(for: pause)) != nil
            else { return reply }
            left -= 1
            pause *= 2
        }
    }

    /// Takes the file, as long as it comes fast enough.
    private func download(_ body: FileBody, from server: String, before deadline: ContinuousClock.Instant) async throws -> Found {
        if let size = body.size, size > settings.sizeLimit { throw tooLarge }
        let start = ContinuousClock.now
        let end = settings.downloadTime.map { min(deadline, start + $0) } ?? deadline
        let begun = settings.timeout.map { start + $0 }
        let count = ByteCount()
        return try await withThrowingTaskGroup(of: Found?.self) { group in
            group.addTask { try await write(body, from: server, count) }
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

    private func write(_ body: FileBody, from server: String, _ count: ByteCount) async throws -> Found {
        do {
            var file = try IncomingFile(for: question, in: cache)
            for try await piece in body.pieces {
                guard file.size + piece.count <= settings.sizeLimit else { throw tooLarge }
                try file.append(piece)
                count.add(piece.count)
                progress?.add(piece.count)
            }
            // A cancelled task's pieces just end.
            try Task.checkCancellation()
            if let size = body.size, size != file.size {
                throw FetchFailure(message: "it broke off after \(file.size) of \(size) bytes", isTransient: true)
            }
            let check = ArrivalCheck(path: file.path, id: question.id)
            if let problem = check.problem { throw FetchFailure(message: "it sent another file: \(problem)") }
            return Found(path: try file.finish(), server: server, check: check)
        } catch let problem as FileError {
            throw FetchFailure(message: "the file cannot be stored: \(problem.description)")
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

    init(path: String, id: ImageID) {
        let objects: [ObjectFile]
        do throws(ObjectFileError) { objects = try ObjectFiles.openAll(path: path) } catch {
            problem = "not an object file"
            return
        }
        guard let object = objects.first(where: { $0.identity == id }) else {
            problem = objects.first?.identity.map { "its build ID is \($0.hexadecimal)" } ?? "it has no build ID"
            return
        }
        supplementary = Self.supplementary(of: object)
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
