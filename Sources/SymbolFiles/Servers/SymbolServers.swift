package import BinaryPrimitives
internal import Synchronization

/// Servers of symbol files: the last location, used only for images whose debug information is nowhere else, and for all of a report at
/// once.
///
/// First for debug files; where no server has one, and nothing else is known of the image, for the
/// binary, whose symbol table names functions.
package final class SymbolServers: DebugFileLocator {
    package let servers: [SymbolServer]
    private let fetcher: any FileFetcher
    private let remembersMisses: Bool
    private let known = RecentlyUsed<Key, [DownloadResult]>(count: 65_536)
    /// Reasons why files were not fetched, and how many files each.
    private let failures = Mutex<[String: Int]>([:])

    private struct Key: Hashable, Sendable {
        var image: RequestedImage
        var servers: [SymbolServer]?
    }

    /// - Parameters:
    ///   - servers: those that `fetcher` uses.
    ///   - remembersMisses: a file that no server had is not requested again, as in a run that has an end.
    package init(_ servers: [SymbolServer], fetcher: any FileFetcher, remembersMisses: Bool = true) {
        self.servers = servers
        self.fetcher = fetcher
        self.remembersMisses = remembersMisses
    }

    private var isDebuginfod: Bool { servers.allSatisfy { $0.layouts == [.debuginfod] } }

    package var location: String {
        (isDebuginfod ? "debuginfod: " : "symbol servers: ") + servers.map(\.name).joined(separator: ", ")
    }
    package var isCostly: Bool { true }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        let file = RequestedFile(.debuginfo, RequestedImage(request))
        return servers(for: request).flatMap { server in server.paths(of: file).map { server.name + "/" + $0 } }
    }

    package func prepare(for requests: [ImageRequest]) {
        var seen: Set<Key> = []
        var unknown = requests.compactMap(key).filter { seen.insert($0).inserted }
        if remembersMisses { unknown = unknown.filter { known[$0] == nil } }
        guard !unknown.isEmpty else { return }
        var results: [Key: [DownloadResult]] = [:]
        func request(_ kind: RequestedFile.Kind, of keys: [Key]) {
            let wanted = keys.filter { key in
                let file = RequestedFile(kind, key.image)
                return (key.servers ?? servers).contains { !$0.paths(of: file).isEmpty }
            }
            guard !wanted.isEmpty else { return }
            let replies = fetcher.results(for: wanted.map { RequestedFile(kind, $0.image, servers: $0.servers) })
            for (key, result) in zip(wanted, replies) { results[key, default: []].append(result) }
        }
        request(.debuginfo, of: unknown)
        // Of Windows' images there may be no debug file that can be read.
        request(
            .executable,
            of: unknown.filter { key in (results[key] ?? []).allSatisfy { if case .missing = $0.outcome { true } else { false } } })
        for (key, results) in results {
            known.remove(key)
            known.keep(results, for: key)
            for result in results {
                switch result.outcome {
                case .found(_, let source): if source != "cache" { SymbolFileFigures.downloaded.add(1, ordering: .relaxed) }
                case .missing: SymbolFileFigures.missed.add(1, ordering: .relaxed)
                case .failed(let reason):
                    SymbolFileFigures.failed.add(1, ordering: .relaxed)
                    noteFailure(reason)
                }
            }
        }
    }

    private func noteFailure(_ reason: String) {
        failures.withLock { failures in if failures[reason] != nil || failures.count < 1000 { failures[reason, default: 0] += 1 } }
    }

    /// Files that were downloaded. Sends no requests: an image that was not passed to `prepare` has
    /// its debug information elsewhere.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        results(for: request).compactMap { result in
            guard case .found(let path, let source) = result.outcome else { return nil }
            return SymbolFileCandidate(path: path, origin: .store(isDebuginfod ? "debuginfod" : "server", root: source))
        }
    }

    package func remarks(for request: ImageRequest) -> [String] {
        guard request.id != nil || request.codeIdentifier != nil else { return ["servers need a build ID, and the log has none"] }
        guard let key = key(of: request) else {
            return ["debuginfod servers have ELF files: \(request.id?.description ?? "") has the length of a Mach-O UUID"]
        }
        return (known[key] ?? []).map { result in
            switch result.outcome {
            case .found(_, let source): "\(source) had the \(result.file.kind.label)"
            case .missing(let reason): "no \(result.file.kind.label): \(reason)"
            case .failed(let reason): "the \(result.file.kind.label) was not fetched: \(reason)"
            }
        }
    }

    /// Downloads a source file of a build.
    /// - Parameter path: as the debug information has it, from `/` on.
    /// - Returns: its path on this machine; `nil` where no server has it.
    package func sourceFile(of id: ImageID, at path: String) -> String? {
        let file = RequestedFile(.source(path), RequestedImage(id: id))
        guard servers.contains(where: { !$0.paths(of: file).isEmpty }),
            case .found(let path, _)? = fetcher.results(for: [file]).first?.outcome
        else { return nil }
        return path
    }

    /// Requests that failed or got no response: one line for each reason, with the number of files.
    package var problems: [String] {
        let prefix = isDebuginfod ? "debuginfod" : "symbol servers"
        return failures.withLock { $0 }.sorted { $0.key < $1.key }.map {
            "\(prefix): \($1) \($1 == 1 ? "file was" : "files were") not fetched: \($0)"
        }
    }

    private func results(for request: ImageRequest) -> [DownloadResult] { key(of: request).flatMap { known[$0] } ?? [] }

    /// - Returns: `nil` for an image that no server can have.
    private func key(of request: ImageRequest) -> Key? {
        let servers = servers(for: request)
        var image = RequestedImage(request)
        let files = [RequestedFile(.debuginfo, image), RequestedFile(.executable, image)]
        guard servers.contains(where: { server in files.contains { !server.paths(of: $0).isEmpty } }) else { return nil }
        // One file under several names is requested once.
        if servers.allSatisfy({ $0.layouts == [.debuginfod] }), let id = image.buildID { image = RequestedImage(id: id) }
        return Key(image: image, servers: request.servers == nil ? nil : servers)
    }

    private func servers(for request: ImageRequest) -> [SymbolServer] {
        guard let texts = request.servers else { return servers }
        return texts.compactMap { try? SymbolServer($0) }
    }
}

extension RequestedFile.Kind {
    fileprivate var label: String {
        switch self {
        case .debuginfo: "debug file"
        case .executable: "binary"
        case .source: "source file"
        }
    }
}
