package import BinaryPrimitives
internal import LibC

/// A process that reads symbol files and logs (`EngineHost`), as the process with the connections
/// has it. It ends with this object.
package final class Engine: Sendable {
    let sockets: [LocalSocket]
    private let process: pid_t?

    /// - Parameters:
    ///   - sockets: one for each request that it handles at a time.
    ///   - process: ended with this object; `nil` where another ends it.
    package init(sockets: [LocalSocket], process: Int32? = nil) {
        self.sockets = sockets
        self.process = process
    }

    deinit {
        guard let process else { return }
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// Starts one, which has the sockets from `EngineHost.firstSocket` on.
    /// - Parameters:
    ///   - path: of the program.
    ///   - arguments: without the program's own name.
    package static func start(_ path: String, _ arguments: [String], sockets count: Int) throws(FileError) -> Engine {
        var own: [LocalSocket] = []
        // Above the numbers that the program gets, so that none is overwritten before it is moved.
        var others: [Int32] = []
        defer { for other in others { close(other) } }
        for _ in 0..<count {
            let (mine, other) = try LocalSocket.pair()
            own.append(mine)
            let high = other.withDescriptor { fcntl($0, F_DUPFD_CLOEXEC, EngineHost.firstSocket + Int32(count)) }
            guard high >= 0 else { throw FileError(path: path, errorNumber: errno) }
            others.append(high)
        }
        // Control-C, and a service manager's signals, reach the whole group: only the process with
        // the connections acts on them, so that requests that came before have their responses.
        let process = try Program.start(
            path, arguments, descriptors: others.enumerated().map { ($1, EngineHost.firstSocket + Int32($0)) },
            holding: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
        return Engine(sockets: own, process: process)
    }

    /// Sends a request through a socket that no other request uses, and waits for the response.
    func reply(to request: Request, through socket: Int, before deadline: ContinuousClock.Instant) throws(LocalSocket.Failure)
        -> EngineReply
    {
        let (message, file) = request.message()
        try sockets[socket].send(message, file, before: deadline)
        let received = try sockets[socket].message(before: deadline)
        guard let reply = EngineReply(received.0, descriptor: received.descriptor) else { throw .ended }
        return reply
    }
}
