internal import BinaryPrimitives
internal import ObjectFiles
internal import SymbolFiles
internal import Symbolication
internal import Synchronization

/// Symbols of folders and servers to which files may be added while the service runs: if a module is
/// not found, they are searched again, unless that was a moment ago.
final class RefreshedSymbols: SymbolProvider {
    private let symbols: any SymbolProvider
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lastRefresh: Mutex<ContinuousClock.Instant>

    /// - Parameter interval: minimum time from one search to the next. Requests for modules that
    ///   nobody has cause one search in it, however many they are.
    init(_ symbols: any SymbolProvider, after interval: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.symbols = symbols
        self.interval = interval
        self.now = now
        lastRefresh = Mutex(now())
    }

    /// - Returns: whether the folders and servers are searched again.
    private func refreshIfDue() -> Bool {
        let isDue = lastRefresh.withLock { last in
            let now = now()
            guard now - last >= interval else { return false }
            last = now
            return true
        }
        if isDue { symbols.refreshMissing() }
        return isDue
    }

    func refreshMissing() {
        lastRefresh.withLock { $0 = now() }
        symbols.refreshMissing()
    }

    func symbols(for request: ImageRequest) -> ImageSymbols {
        let found = symbols.symbols(for: request)
        return found.source == nil && refreshIfDue() ? symbols.symbols(for: request) : found
    }

    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        let found = symbols.symbols(for: request, evidence: evidence)
        return found.source == nil && refreshIfDue() ? symbols.symbols(for: request, evidence: evidence) : found
    }

    func prepare(for requests: [ImageRequest]) { symbols.prepare(for: requests) }
    func trail(for request: ImageRequest) -> SearchTrail { symbols.trail(for: request) }
    func trail(for request: ImageRequest, evidence: CodeEvidence) -> SearchTrail { symbols.trail(for: request, evidence: evidence) }
    func unslidImages(processName: String?) -> [UnslidImage] { symbols.unslidImages(processName: processName) }
    func provableImages(named names: [String]) -> [UnslidImage] { symbols.provableImages(named: names) }
    func unreadableFiles() -> [String] { symbols.unreadableFiles() }
    func images(ofNames found: inout FoundNames) -> [[any SymbolFile]] { symbols.images(ofNames: &found) }
    func downloadedSource(of id: ImageID, at path: String) -> String? { symbols.downloadedSource(of: id, at: path) }
    func generatedCode(ofProcess process: Int?) -> [UnslidImage] { symbols.generatedCode(ofProcess: process) }
    func runningPrograms() -> [UnslidImage] { symbols.runningPrograms() }
}
