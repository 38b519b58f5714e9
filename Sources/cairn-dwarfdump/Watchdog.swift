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

        /// What was taken, and what was expected.
        var words: String {
            switch self {
            case .time(let seconds): "it took \(seconds) seconds: expected less, or a higher --time-limit"
            case .memory(let megabytes): "it took \(megabytes) MB of memory: expected less, or a higher --memory-limit"
            }
        }
    }

    /// Zero means no limit.
    var seconds: Int
    /// Of memory that the process has taken itself, without what it has mapped of files. Zero means no limit. Not looked at where the system does not tell.
    var megabytes: Int

    /// Watches from now on, in a thread beside the caller's, until the process ends. A thread of its own: tasks share as many as there are processors, and hostile bytes can keep those busy.
    /// - Parameter isMet: is called once when a limit is met, and ends the process.
    func start(_ isMet: @escaping @Sendable (Limit) -> Never) {
        guard seconds > 0 || megabytes > 0 else { return }
        let clock = ContinuousClock()
        let end = clock.now + .seconds(seconds)
        // Opened now, because nothing may be opened later.
        let usage = MemoryUsage()
        _ = Parallel.start {
            while true {
                usleep(20_000)
                if seconds > 0, clock.now >= end { isMet(.time(seconds: seconds)) }
                if megabytes > 0, let taken = usage?.bytes(), taken >> 20 >= megabytes { isMet(.memory(megabytes: megabytes)) }
            }
        }
    }
}

/// How much memory this process takes (`/proc/self/statm`, proc(5)).
final class MemoryUsage: Sendable {
    private let file: Int32

    /// - Returns: `nil` where there is no such file.
    init?() {
        file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// Bytes that are resident and belong to no file: the second number of pages without the third.
    func bytes() -> Int? {
        let text = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            // From its start each time: the text is made anew for each read.
            let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
            return unsafe String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
        let numbers = text.split(separator: " ").map { Int($0) }
        guard numbers.count > 2, let resident = numbers[1], let shared = numbers[2] else { return nil }
        return max(0, resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
