internal import Synchronization

/// How often each token may upload: so many at once, then so many a minute.
final class UploadRate: Sendable {
    private struct Bucket {
        var left: Double
        var time: ContinuousClock.Instant
    }

    private let burst: Double
    private let perSecond: Double
    private let buckets = Mutex<[String: Bucket]>([:])

    init(atOnce burst: Int = 1000, perMinute: Int = 600) {
        self.burst = Double(burst)
        perSecond = Double(perMinute) / 60
    }

    /// Takes one upload's turn.
    /// - Parameter holder: whose token it is.
    /// - Returns: the seconds after which to come again, where it is too soon; `nil` where it is
    ///   not.
    func wait(for holder: String, at now: ContinuousClock.Instant = .now) -> Int? {
        buckets.withLock { buckets in
            var bucket = buckets[holder] ?? Bucket(left: burst, time: now)
            bucket.left = min(burst, bucket.left + (now - bucket.time) / .seconds(1) * perSecond)
            bucket.time = now
            defer { buckets[holder] = bucket }
            guard bucket.left >= 1 else { return Int(((1 - bucket.left) / perSecond).rounded(.up)) }
            bucket.left -= 1
            return nil
        }
    }
}
