internal import LibC

/// A program of ours that runs beside this one, and the sockets to it. It ends with this object.
///
/// It has standard error and neither of the other streams: data that it reads must not make it read
/// this program's input (`/dev/stdin` as a path), or write into its output.
package final class SocketProcess: Sendable {
    package let sockets: [LocalSocket]
    private let process: pid_t?

    /// The first descriptor of the sockets in the program that was started; they follow each other.
    private static let firstSocket: Int32 = 3

    /// - Parameter sockets: sockets of a program that another process ends.
    package init(sockets: [LocalSocket]) {
        self.sockets = sockets
        process = nil
    }

    /// Starts one.
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: without the program's own name.
    ///   - count: how many sockets it gets (`inherited(_:)`).
    package init(_ path: String, _ arguments: [String], sockets count: Int) throws(FileError) {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { throw FileError(path: "/dev/null", errorNumber: errno) }
        defer { close(nothing) }
        var own: [LocalSocket] = []
        // Above the numbers that the program gets, so that none is overwritten before it is moved.
        var others: [Int32] = []
        defer { for other in others { close(other) } }
        for _ in 0..<count {
            let (mine, other) = try LocalSocket.pair()
            own.append(mine)
            let high = other.withDescriptor { fcntl($0, F_DUPFD_CLOEXEC, Self.firstSocket + Int32(count)) }
            guard high >= 0 else { throw FileError(path: path, errorNumber: errno) }
            others.append(high)
        }
        // Control-C, and a service manager's signals, reach the whole group: only the process that
        // started it acts on them.
        process = try Program.start(
            path, arguments, descriptors: [(nothing, 0), (nothing, 1)] + others.enumerated().map { ($1, Self.firstSocket + Int32($0)) },
            holding: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        sockets = own
    }

    deinit {
        guard let process else { return }
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// The sockets of this process, which another started so.
    package static func inherited(_ count: Int) -> [LocalSocket] {
        (0..<Int32(count)).map { number in
            // Programs that are started must not keep them open.
            _ = fcntl(firstSocket + number, F_SETFD, FD_CLOEXEC)
            return LocalSocket(descriptor: firstSocket + number)
        }
    }
}
