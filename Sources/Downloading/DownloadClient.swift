internal import BinaryPrimitives
package import SymbolFiles
internal import Synchronization

/// Downloads files from servers into the cache.
///
/// A file is requested from all servers at the same time, as in elfutils' client. The first server that has it
/// sends it, and a server that does not respond does not delay the others. A file that is incomplete, or is not
/// proven to be the requested one, is discarded, and the next server is tried. Requests for one file share its download.
package actor DownloadClient {
    private let standard: [SymbolServer]
    private var known: [KnownServer: any FileServer] = [:]
    private let transfers = TransferLoop()
    private let cache: DownloadCache
    private let space: DownloadSpace
    private let settings: FetchSettings
    private let progress: FetchProgress?
    private let environment: @Sendable (String) -> String?
    private let open: SymbolFileOpener
    private var running: [RequestedFile: Download] = [:]
    private var lastWaiter = 0

    private struct KnownServer: Hashable {
        var server: SymbolServer
        var isOwn: Bool
    }

    private struct Download {
        var task: Task<Void, Never>
        var waiters: [Int: CheckedContinuation<Result, Never>] = [:]
    }

    private struct Result: Sendable {
        var outcome: DownloadResult.Outcome
        /// Build ID of the file that holds what `dwz` moved out of this one.
        var supplementary: ImageID?

        init(_ outcome: DownloadResult.Outcome, supplementary: ImageID? = nil) {
            (self.outcome, self.supplementary) = (outcome, supplementary)
        }
    }

    /// Servers that requests have named, and whose connections are kept.
    private static let maxServers = 256
    /// How long a service goes on with a download for which nobody waits any more: the next request has the file.
    private static let longestDownload = Duration.seconds(300)

    /// - Parameters:
    ///   - servers: those that are asked unless a request names others.
    ///   - space: removes old downloads.
    ///   - open: reads a file that has come, to see whether it is the requested one.
    ///   - environment: variables that name proxies, and the keys of buckets.
    package init(
        _ servers: [SymbolServer], cache: DownloadCache, space: DownloadSpace, settings: FetchSettings, open: @escaping SymbolFileOpener,
        progress: FetchProgress? = nil, environment: @escaping @Sendable (String) -> String? = environmentVariable
    ) {
        standard = servers
        self.cache = cache
        self.space = space
        self.settings = settings
        self.open = open
        self.progress = progress
        self.environment = environment
    }

    /// Requests all files, some of them at a time.
    /// - Parameters:
    ///   - deadline: no response comes much later than this.
    ///   - body: receives each response when it is known, with the file's number in the list.
    package func fetch(
        _ files: [RequestedFile], before deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable (Int, DownloadResult.Outcome) -> Void
    ) async {
        progress?.begin(files.count)
        await withTaskGroup(of: Void.self) { group in
            var rest = files.enumerated().makeIterator()
            func next() {
                guard let (number, file) = rest.next() else { return }
                group.addTask {
                    body(number, await self.whole(file, before: deadline))
                    self.progress?.finishOne()
                }
            }
            for _ in 0..<settings.parallel { next() }
            while await group.next() != nil { next() }
        }
        progress?.clear()
    }

    /// Closes all connections.
    package func shutDown() { transfers.stop() }

    // MARK: One file

    /// A file, and the supplementary file into which `dwz` moved parts of it, which the server has as debug information by its own build
    /// ID. A download waits for no other: two files may refer to each other.
    private func whole(_ file: RequestedFile, before deadline: ContinuousClock.Instant) async -> DownloadResult.Outcome {
        let result = await self.result(of: file, before: deadline)
        if let supplementary = result.supplementary, supplementary != file.image.id {
            let shared = RequestedFile(.debuginfo, RequestedImage(id: supplementary), servers: file.servers)
            _ = await self.result(of: shared, before: deadline)
        }
        return result.outcome
    }

    private func result(of file: RequestedFile, before deadline: ContinuousClock.Instant) async -> Result {
        lastWaiter += 1
        let number = lastWaiter
        if running[file] == nil {
            let end = settings.isService ? max(deadline, .now + Self.longestDownload) : deadline
            running[file] = Download(task: Task { await self.finish(file, self.find(file, before: end)) })
        }
        // Where downloads do not go on, they end in time themselves.
        let timer =
            !settings.isService
            ? nil
            : Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                self.end(number, of: file, Result(.failed("it is still being downloaded: ask again in a moment")))
            }
        defer { timer?.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { running[file]?.waiters[number] = $0 }
        } onCancel: {
            Task { await self.cancel(number, of: file) }
        }
    }

    private func finish(_ file: RequestedFile, _ result: Result) {
        for waiter in running.removeValue(forKey: file)?.waiters.values ?? [:].values { waiter.resume(returning: result) }
    }

    private func end(_ number: Int, of file: RequestedFile, _ result: Result) {
        running[file]?.waiters.removeValue(forKey: number)?.resume(returning: result)
    }

    /// A download for which nobody else waits ends, and then its request.
    private func cancel(_ number: Int, of file: RequestedFile) {
        guard let download = running[file], download.waiters[number] != nil else { return }
        if download.waiters.count == 1, !settings.isService {
            download.task.cancel()
        } else {
            end(number, of: file, Result(.failed("canceled")))
        }
    }

    private func find(_ file: RequestedFile, before deadline: ContinuousClock.Instant) async -> Result {
        var servers: [FetchRound.Server] = []
        var missing: Int?
        let isOwn = file.servers == nil
        for server in file.servers ?? standard {
            // Another account may see other files.
            let account = Bucket(server, environment: environment).map { $0.url + " " + ($0.signature?.keys.id ?? "") } ?? ""
            let paths = server.layouts.flatMap { layout in
                layout.paths(of: file).map { path in
                    (path: path, target: cache.path(of: path, in: layout, on: server, isOwn: isOwn, account: account))
                }
            }
            guard !paths.isEmpty else { continue }
            servers.append(FetchRound.Server(self.server(server, isOwn: isOwn), paths, retries: settings.retries))
        }
        guard !servers.isEmpty else { return Result(.missing("no server has files of its kind")) }
        for target in servers.flatMap({ $0.paths.map(\.target) }) {
            switch cache.entry(at: target) {
            case .file(let path):
                let check = ArrivalCheck(path: path, file, open)
                guard check.problem == nil else { continue }
                return Result(.found(path: path, source: "cache"), supplementary: check.supplementary)
            case .missing(let seconds) where cache.isShared(target): missing = seconds
            case .missing, nil: break
            }
        }
        if let seconds = missing {
            // What no debuginfod server has, another server may have.
            servers = servers.filter { server in !server.paths.allSatisfy { cache.isShared($0.target) } }
            if servers.isEmpty { return Result(.missing("no server had it \(seconds) s ago")) }
        }
        var round = FetchRound(
            file: file, servers: servers, settings: settings, cache: cache, space: space, progress: progress, open: open)
        let found = await round.run(before: deadline)
        guard let found else { return Result(round.failure) }
        return Result(.found(path: found.path, source: found.server), supplementary: found.check.supplementary)
    }

    private func server(_ server: SymbolServer, isOwn: Bool) -> any FileServer {
        let key = KnownServer(server: server, isOwn: isOwn)
        if let known = known[key] { return known }
        let made: any FileServer =
            FolderServer(server) ?? HTTPServer(server, isOwn: isOwn, settings: settings, environment: environment, transfers: transfers)
        if known.count >= Self.maxServers { known = [:] }
        known[key] = made
        return made
    }
}
