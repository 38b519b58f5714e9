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

/// The reader's zone, as the system and `TZ` have it.
package enum LocalTime {
    /// The offset from UTC at an instant in seconds since 1970, east positive: summer and winter
    /// differ.
    package static func offset(at instant: Int64) -> Int {
        var seconds = time_t(instant)
        var parts = unsafe tm()
        // `localtime_r` need not read the zone, which `tzset` does.
        tzset()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        return unsafe parts.tm_gmtoff
    }

    /// The instant at which clocks of the zone show a time, both in seconds since 1970. Of a time
    /// that they show twice it is one of both, and of one that they leave out one nearby.
    package static func instant(shownAs local: Int64) -> Int64 {
        let first = local &- Int64(offset(at: local))
        return local &- Int64(offset(at: first))
    }
}
