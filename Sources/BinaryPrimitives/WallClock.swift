#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The time of day.
public enum WallClock {
    /// Seconds since 1970 (UTC).
    public static var seconds: Int64 { unsafe Int64(time(nil)) }
}
