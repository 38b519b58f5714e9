internal import BinaryPrimitives

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Ends the process when it takes too long or too much memory: libdwarf is asked about hostile bytes, and there are some with which it does not come to an end.
struct Watchdog: Sendable {
    /// What was met: a few words.
    enum Limit: Sendable {
        case time(seconds: Int)
        case memory(megabytes: Int)
    }

    /// Zero means no limit.
    var seconds: Int
    /// Of memory that the process has taken itself, without what it has mapped of files. Zero means no limit. Not looked at where the system does not tell.
    var megabytes: Int

    /// Watches from now on, in a thread beside the caller's, until the process ends.
    /// - Parameter isMet: is called once when a limit is met, and ends the process.
    func start(_ isMet: @escaping @Sendable (Limit) -> Never) {
        guard seconds > 0 || megabytes > 0 else { return }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        Task.detached {
            while true {
                try? await Task.sleep(for: .milliseconds(20))
                if seconds > 0, clock.now >= end { isMet(.time(seconds: seconds)) }
                if megabytes > 0, let taken = Self.memory(), taken >> 20 >= megabytes { isMet(.memory(megabytes: megabytes)) }
            }
        }
    }

    /// Bytes that are resident and belong to no file (`/proc/self/statm`, proc(5): the second number of pages without the third); `nil` where there is no such file.
    static func memory() -> Int? {
        let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        guard let bytes = try? FileDescriptor.readSome(from: file, limit: 256) else { return nil }
        let numbers = bytes.split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count > 2, let resident = numbers[1], let shared = numbers[2] else { return nil }
        return max(0, resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
