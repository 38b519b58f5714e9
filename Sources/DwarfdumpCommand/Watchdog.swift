internal import BinaryPrimitives
internal import LibC
internal import Synchronization

/// Ends the process when it takes too long or too much memory: libdwarf reads hostile bytes, and with some it
/// does not end.
final class Watchdog: Sendable {
    /// The limit that was reached.
    enum Limit: Sendable {
        case time(seconds: Int)
        case processorTime(seconds: Int)
        case memory(megabytes: Int)

        /// The used amount, and the expected one.
        var message: String {
            switch self {
            case .time(let seconds): "it took \(seconds) seconds: expected less, or a higher --time-limit"
            case .processorTime(let seconds):
                "it took \(seconds) seconds of processor time: expected less of a file of its size, or a --time-limit"
            case .memory(let megabytes): "it took \(megabytes) MB of memory: expected less, or a higher --memory-limit"
            }
        }
    }

    private let allowance: Allowance
    private let bounds: Mutex<Allowance.Bounds>

    init(_ allowance: Allowance) {
        self.allowance = allowance
        bounds = Mutex(allowance.bounds(forBytes: 0))
    }

    /// Sets the limits for open files of a total size.
    /// - Parameter addresses: the minimum number of addresses to look up.
    func allow(forBytes size: Int, addresses: Int = 0) {
        let new = allowance.bounds(forBytes: size, addresses: addresses)
        bounds.withLock { $0 = new }
        Worker.limit(new)
    }

    /// Starts watching, in a thread of its own, until the process ends. Not in a task: tasks share as many
    /// threads as there are processors, and hostile bytes can keep those busy.
    /// - Parameter isMet: called once when a limit is reached; ends the process.
    func start(_ isMet: @escaping @Sendable (Limit) -> Never) {
        let clock = ContinuousClock()
        let begin = clock.now
        // Opened now, because no file may be opened later.
        let usage = MemoryUsage()
        _ = Parallel.start { [self] in
            while true {
                usleep(20_000)
                let bounds = bounds.withLock { $0 }
                if bounds.seconds > 0 {
                    if bounds.isProcessorTime {
                        if processorSeconds() >= bounds.seconds { isMet(.processorTime(seconds: bounds.seconds)) }
                    } else if clock.now >= begin + .seconds(bounds.seconds) {
                        isMet(.time(seconds: bounds.seconds))
                    }
                }
                if bounds.megabytes > 0, let taken = usage?.bytes(), taken >> 20 >= bounds.megabytes {
                    isMet(.memory(megabytes: bounds.megabytes))
                }
            }
        }
    }

    /// The time in which processors worked for this process, all threads together
    /// (clock_gettime(2)), in whole seconds.
    private func processorSeconds() -> Int {
        var time = timespec()
        return unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 ? Int(time.tv_sec) : 0
    }
}

/// Memory that this process uses (`/proc/self/statm`, proc(5)).
final class MemoryUsage: Sendable {
    private let file: Int32

    /// - Returns: `nil` where there is no such file.
    init?() {
        file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
    }

    deinit { close(file) }

    /// Number of resident bytes that belong to no file: the second number of pages minus the third.
    func bytes() -> Int? {
        let text = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            // Read from the start each time: the system makes the text for each read.
            let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
            return unsafe String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
        let numbers = text.split(separator: " ").map { Int($0) }
        guard numbers.count > 2, let resident = numbers[1], let shared = numbers[2] else { return nil }
        return max(0, resident - shared) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
