internal import LibC

/// The time of day.
package enum WallClock {
    /// Seconds since 1970 (UTC).
    package static var seconds: Int64 { Int64(time(nil)) }

    /// Nanoseconds since 1970 (UTC).
    package static var nanoseconds: Int64 {
        var now = timespec()
        unsafe _ = clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    }
}
