internal import BinaryPrimitives
internal import Synchronization

/// debuginfod servers: the last location, used only for images with a build ID whose debug information
/// is nowhere else, and for all of a report at once.
///
/// First for debug files; where no server has one, and nothing else is known of the image, for the
/// binary, whose symbol table names functions.
package final class DebuginfodServers: DebugFileLocator {
    package let urls: [String]
    private let fetcher: any DebuginfodFetcher
    private let known = Mutex<[ImageID: [DebuginfodResult]]>([:])

    /// - Parameter urls: the servers that `fetcher` uses, for people.
    package init(urls: [String], fetcher: any DebuginfodFetcher) {
        self.urls = urls
        self.fetcher = fetcher
    }

    package var location: String { "debuginfod: " + urls.joined(separator: ", ") }
    package var isCostly: Bool { true }

    package func expectedPaths(for request: ImageRequest) -> [String] {
        guard let id = request.buildID else { return [] }
        return urls.map { DebuginfodRequest(.debuginfo, id).url(at: $0) }
    }

    package func prepare(for requests: [ImageRequest]) {
        var seen: Set<ImageID> = []
        let unknown = known.withLock { known in
            requests.compactMap(\.buildID).filter { known[$0] == nil && seen.insert($0).inserted }
        }
        guard !unknown.isEmpty else { return }
        let debugFiles = fetcher.results(for: unknown.map { DebuginfodRequest(.debuginfo, $0) })
        let absent = debugFiles.compactMap { result in if case .missing = result.outcome { result.question.id } else { nil } }
        let binaries = absent.isEmpty ? [] : fetcher.results(for: absent.map { DebuginfodRequest(.executable, $0) })
        known.withLock { known in for result in debugFiles + binaries { known[result.question.id, default: []].append(result) } }
    }

    /// Files that were downloaded. Sends no requests: an image that was not passed to `prepare` has
    /// its debug information elsewhere.
    package func candidates(for request: ImageRequest) -> [SymbolFileCandidate] {
        results(for: request).compactMap { result in
            guard case .found(let path, let source) = result.outcome else { return nil }
            return SymbolFileCandidate(path: path, origin: .store("debuginfod", root: source))
        }
    }

    package func remarks(for request: ImageRequest) -> [String] {
        guard let id = request.id else { return ["debuginfod servers need a build ID, and the log has none"] }
        guard request.buildID != nil else { return ["debuginfod servers have ELF files: \(id) has the length of a Mach-O UUID"] }
        return results(for: request).map { result in
            switch result.outcome {
            case .found(_, let source): "\(source) had the \(result.question.kind.label)"
            case .missing(let reason): "no \(result.question.kind.label): \(reason)"
            case .failed(let reason): "the \(result.question.kind.label) was not fetched: \(reason)"
            }
        }
    }

    /// Requests that failed or got no response: one line for each reason, with the number of files.
    package var problems: [String] {
        var counts: [String: Int] = [:]
        known.withLock { known in
            for case .failed(let reason) in known.values.joined().map(\.outcome) { counts[reason, default: 0] += 1 }
        }
        return counts.sorted { $0.key < $1.key }.map { "debuginfod: \($1) \($1 == 1 ? "file was" : "files were") not fetched: \($0)" }
    }

    private func results(for request: ImageRequest) -> [DebuginfodResult] {
        guard let id = request.buildID else { return [] }
        return known.withLock { $0[id] ?? [] }
    }
}

extension DebuginfodRequest.Kind {
    fileprivate var label: String { self == .debuginfo ? "debug file" : "binary" }
}

extension ImageRequest {
    /// An identity that a debuginfod server may know. Those of 16 bytes are UUIDs of Mach-O files,
    /// unless the image is called like a shared library of ELF: `--build-id=md5` and
    /// `--build-id=uuid` are rare.
    var buildID: ImageID? {
        guard let id, id.uuid != nil else { return id }
        return name.hasSuffix(".so") || name.contains(".so.") ? id : nil
    }
}
