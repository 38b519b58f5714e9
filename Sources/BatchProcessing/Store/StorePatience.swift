internal import LibC

/// How often a transaction is tried again, and how long a server is waited for.
struct StorePatience {
    /// Of a server that is restarted for an upgrade.
    private static let limit = Duration.seconds(300)
    private static let longestPause: UInt32 = 2_000_000

    private let start = ContinuousClock.now
    /// In microseconds; each is half as long again as the one before.
    private var pause: UInt32 = 20_000

    /// - Returns: `false` where it has been long enough.
    mutating func wait() -> Bool {
        guard ContinuousClock.now - start < Self.limit else { return false }
        usleep(pause)
        pause = min(pause + pause / 2, Self.longestPause)
        return true
    }
}
