internal import BinaryPrimitives
internal import SymbolFiles
internal import Symbolication
internal import Synchronization

/// Symbols of folders and servers to which files may be added while the service runs: if a module is
/// not found, they are searched again, unless that was a moment ago.
final class RefreshedSymbols: ForwardedSymbols {
    let others: any SymbolProvider
    private let interval: Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let lastRefresh: Mutex<ContinuousClock.Instant>

    /// - Parameter interval: minimum time from one search to the next. Requests for modules that
    ///   nobody has cause one search in it, however many they are.
    init(_ symbols: any SymbolProvider, after interval: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        others = symbols
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
        if isDue { others.refreshMissing() }
        return isDue
    }

    func refreshMissing() {
        lastRefresh.withLock { $0 = now() }
        others.refreshMissing()
    }

    func symbols(for request: ImageRequest) -> ImageSymbols {
        let found = others.symbols(for: request)
        return found.source == nil && refreshIfDue() ? others.symbols(for: request) : found
    }

    func symbols(for request: ImageRequest, evidence: CodeEvidence) -> ImageSymbols {
        let found = others.symbols(for: request, evidence: evidence)
        return found.source == nil && refreshIfDue() ? others.symbols(for: request, evidence: evidence) : found
    }
}
