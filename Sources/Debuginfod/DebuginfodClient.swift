internal import BinaryPrimitives
package import SymbolFiles
internal import Synchronization

/// Downloads files from debuginfod servers into the cache.
///
/// A file is requested from all servers at the same time, as in elfutils' client. The first server that has it
/// sends it, and a server that does not respond does not delay the others. A file that is incomplete, or is not
/// proven to be the requested one, is discarded, and the next server is tried.
package actor DebuginfodClient {
    private let servers: [any DebuginfodServer]
    /// `nil` where no server has HTTP.
    private let transfers: TransferLoop?
    private let cache: DownloadCache
    private let settings: FetchSettings
    private let progress: FetchProgress?
    /// Downloads in progress and the callers that wait for them: several debug files of a package share one
    /// supplementary file.
    private var running: [DebuginfodRequest: [CheckedContinuation<DebuginfodResult.Outcome, Never>]] = [:]

    /// - Parameters:
    ///   - urls: URLs of the servers: `http`, `https`, or `file` for a directory with the same layout.
    ///   - environment: variables that name proxies.
    /// - Throws: `DebuginfodURLError` for a URL that cannot be used.
    package init(
        urls: [String], cache: DownloadCache, settings: FetchSettings, progress: FetchProgress? = nil,
        environment: (String) -> String? = environmentVariable
    ) throws(DebuginfodURLError) {
        var servers: [any DebuginfodServer] = []
        var transfers: TransferLoop?
        for url in urls {
            if let folder = FolderServer(url: url) {
                servers.append(folder)
            } else if url.hasPrefix("http://") || url.hasPrefix("https://") {
                let loop = transfers ?? TransferLoop()
                transfers = loop
                servers.append(HTTPServer(url: url, settings: settings, environment: environment, transfers: loop))
            } else {
                throw DebuginfodURLError(url: url)
            }
        }
        self.servers = servers
        self.transfers = transfers
        self.cache = cache
        self.settings = settings
        self.progress = progress
    }

    /// Requests all files, some of them at a time.
    /// - Parameters:
    ///   - deadline: no response comes much later than this.
    ///   - body: receives each response when it is known.
    package func fetch(
        _ questions: [DebuginfodRequest], before deadline: ContinuousClock.Instant, _ body: @escaping @Sendable (DebuginfodResult) -> Void
    ) async {
        progress?.begin(questions.count)
        await withTaskGroup(of: Void.self) { group in
            var rest = questions[...]
            func next() {
                guard let question = rest.popFirst() else { return }
                group.addTask {
                    body(DebuginfodResult(question, await self.outcome(of: question, before: deadline)))
                    self.progress?.finishOne()
                }
            }
            for _ in 0..<settings.parallel { next() }
            while await group.next() != nil { next() }
        }
        progress?.clear()
    }

    /// Closes all connections.
    package func shutDown() { transfers?.stop() }

    private func outcome(of question: DebuginfodRequest, before deadline: ContinuousClock.Instant) async -> DebuginfodResult.Outcome {
        if running[question] != nil { return await withCheckedContinuation { running[question]?.append($0) } }
        running[question] = []
        let outcome = await find(question, before: deadline)
        for waiting in running.removeValue(forKey: question) ?? [] { waiting.resume(returning: outcome) }
        return outcome
    }

    private func find(_ question: DebuginfodRequest, before deadline: ContinuousClock.Instant) async -> DebuginfodResult.Outcome {
        switch cache.entry(for: question) {
        case .file(let path):
            let check = ArrivalCheck(path: path, id: question.id)
            if check.problem == nil {
                await fetchSupplementary(check.supplementary, for: question, before: deadline)
                return .found(path: path, source: "cache")
            }
        case .missing(let seconds): return .missing("no server had it \(seconds) s ago")
        case nil: break
        }
        var search = FetchRound(question: question, servers: servers, settings: settings, cache: cache, progress: progress)
        let found = await search.run(before: deadline)
        guard let found else { return search.failure }
        await fetchSupplementary(found.check.supplementary, for: question, before: deadline)
        return .found(path: found.path, source: found.server)
    }

    /// Fetches the supplementary file into which `dwz` moved parts of a debug file. The server has it as debug
    /// information by its own build ID.
    private func fetchSupplementary(_ supplementary: ImageID?, for question: DebuginfodRequest, before deadline: ContinuousClock.Instant)
        async
    {
        guard let supplementary, supplementary != question.id else { return }
        _ = await outcome(of: DebuginfodRequest(.debuginfo, supplementary), before: deadline)
    }
}

/// A URL that files cannot be requested from.
package struct DebuginfodURLError: Error, CustomStringConvertible {
    package var url: String
    package var description: String { "\(url): not a debuginfod server: expected http://…, https://… or file:///…" }
}
