internal import LibC
internal import Synchronization

/// A program that this one starts and talks with in lines: it reads them from its standard input
/// and writes them to its standard output. Standard error is shared.
///
/// No call waits beyond its deadline, regardless of the program. When the object is destroyed, the
/// program's input ends, which makes it end itself. One thread may send while another one reads.
package final class ChildProcess: Sendable {
    /// Next output of the program.
    package enum Reply: Sendable, Hashable {
        /// A line without its end.
        case line(String)
        /// It closed its output: it has ended, or is about to.
        case ended
        /// Nothing came in time.
        case late
    }

    /// Result of sending a text.
    package enum Delivery: Sendable, Hashable {
        case sent
        /// The program no longer reads: it has ended, or is about to. Its earlier output can still
        /// be read.
        case ended
        /// It did not read everything in time.
        case late
    }

    /// Bytes of one line; a program that writes a longer one counts as ended.
    private static let lineLimit = 1 << 16

    private let process: pid_t
    /// -1 where it was ended.
    private let input: Mutex<Int32>
    private let output: Int32
    /// Output that no line was made of yet.
    private let received = Mutex<[UInt8]>([])

    /// Starts a program (`Program.start`) with this process's environment.
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: without the program's own name.
    package init(path: String, arguments: [String]) throws(FileError) {
        let (process, input, output) = try Self.spawn(path, arguments)
        (self.process, self.output) = (process, output)
        self.input = Mutex(input)
    }

    private static func spawn(_ path: String, _ arguments: [String]) throws(FileError) -> (pid_t, input: Int32, output: Int32) {
        let down = try Self.pipe(for: path)
        let up: (read: Int32, write: Int32)
        do throws(FileError) { up = try Self.pipe(for: path) } catch {
            close(down.read)
            close(down.write)
            throw error
        }
        defer { for end in [down.read, up.write] { close(end) } }
        let child: pid_t
        do throws(FileError) {
            child = try Program.start(path, arguments, descriptors: [(down.read, 0), (up.write, 1)])
        } catch {
            for end in [down.write, up.read] { close(end) }
            throw error
        }
        for end in [down.write, up.read] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        return (child, down.write, up.read)
    }

    deinit {
        endInput()
        close(output)
        // One that has ended already leaves no zombie; one that ends later, as most do when their
        // input ends, is waited for by a thread of its own.
        if waitpid(process, nil, WNOHANG) == 0 { Self.waitLater(for: process) }
    }

    private static func waitLater(for process: pid_t) {
        var attributes = pthread_attr_t()
        unsafe _ = pthread_attr_init(&attributes)
        defer { unsafe _ = pthread_attr_destroy(&attributes) }
        unsafe _ = pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        // The number itself is the argument. Without the thread, the zombie is the system's when
        // this process ends.
        unsafe _ = pthread_create(
            &thread, &attributes,
            { argument in
                let number = Int(bitPattern: argument)
                while waitpid(pid_t(truncatingIfNeeded: number), nil, 0) < 0, errno == EINTR {}
                return nil
            }, UnsafeMutableRawPointer(bitPattern: Int(process)))
    }

    /// Ends the program at once.
    package func kill() {
        endProcess(process)
        _ = waitpid(process, nil, 0)
    }

    /// Writes to its standard input.
    package func send(_ text: String, before deadline: ContinuousClock.Instant) -> Delivery {
        let input = input.withLock { $0 }
        guard input >= 0 else { return .ended }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            guard Self.isReady(input, for: Int16(POLLOUT), before: deadline) else { return .late }
            let count = unsafe rest.withUnsafeBytes { bytes in withoutPipeSignal { unsafe write(input, bytes.baseAddress, bytes.count) } }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { return .ended }
            rest = rest.dropFirst(count)
        }
        return .sent
    }

    /// Ends its standard input: nothing more can be sent. No other thread may be sending.
    package func endInput() {
        let open = input.withLock { input in
            defer { input = -1 }
            return input
        }
        if open >= 0 { close(open) }
    }

    /// The next line of its standard output.
    package func reply(before deadline: ContinuousClock.Instant) -> Reply {
        while true {
            let (line, count) = received.withLock { received -> (String?, Int) in
                guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else { return (nil, received.count) }
                let line = String(decoding: received[..<end], as: UTF8.self)
                received.removeSubrange(...end)
                return (line, 0)
            }
            if let line { return .line(line) }
            guard count <= Self.lineLimit else { return .ended }
            guard Self.isReady(output, for: Int16(POLLIN), before: deadline) else { return .late }
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            let new = unsafe buffer.withUnsafeMutableBytes { bytes in unsafe read(output, bytes.baseAddress, bytes.count) }
            if new < 0, errno == EINTR || errno == EAGAIN { continue }
            guard new > 0 else { return .ended }
            received.withLock { $0 += buffer[..<new] }
        }
    }

    /// Waits until something can be read or written, or the other side is closed (which the next
    /// call detects).
    private static func isReady(_ descriptor: Int32, for events: Int16, before deadline: ContinuousClock.Instant) -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            // Rounded up, so that the last part of a millisecond is not spent in a loop; a day at
            // most, which `poll` accepts.
            let milliseconds = min(left.components.seconds, 86_400) * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
            if count > 0 { return true }
            guard count == 0 || errno == EINTR else { return true }
        }
    }

    /// Both ends are closed on exec.
    private static func pipe(for path: String) throws(FileError) -> (read: Int32, write: Int32) {
        guard let pipe = Pipe() else { throw FileError(path: path, errorNumber: errno) }
        return (pipe.readEnd, pipe.writeEnd)
    }
}

/// `kill(2)`, whose name the type above has itself.
private func endProcess(_ process: pid_t) { _ = kill(process, SIGKILL) }

/// Writes to a pipe that may have lost its reader. The signal for that would end this process, and
/// a handler would be process-wide: it is blocked in this thread, and removed.
private func withoutPipeSignal(_ body: () -> Int) -> Int {
    var signals = sigset_t()
    var before = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGPIPE)
    guard unsafe pthread_sigmask(SIG_BLOCK, &signals, &before) == 0 else { return -1 }
    let result = body()
    let number = errno
    if result < 0, number == EPIPE {
        var pending = sigset_t()
        unsafe sigemptyset(&pending)
        if unsafe sigpending(&pending) == 0, unsafe sigismember(&pending, SIGPIPE) == 1 {
            var receivedSignal: Int32 = 0
            unsafe _ = sigwait(&signals, &receivedSignal)
        }
    }
    unsafe _ = pthread_sigmask(SIG_SETMASK, &before, nil)
    errno = number
    return result
}
