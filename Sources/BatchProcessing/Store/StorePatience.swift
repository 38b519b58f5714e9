internal import LibC

/// How often a transaction is tried again, and how long a server is waited for.
struct StorePatience {
    private static let longestPause: UInt32 = 2_000_000

    private let limit: Duration
    private let start = ContinuousClock.now
    /// In microseconds; each is half as long again as the one before.
    private var pause: UInt32 = 20_000

    init(limit: Duration) { self.limit = limit }

    /// - Returns: `false` where it has been long enough.
    mutating func wait() -> Bool {
        guard ContinuousClock.now - start < limit else { return false }
        usleep(pause)
        pause = min(pause + pause / 2, Self.longestPause)
        return true
    }
}
