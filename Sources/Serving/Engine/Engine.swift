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

    /// Starts one (`posix_spawn(3)`), which has the sockets from `EngineHost.firstSocket` on.
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
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        for (index, other) in others.enumerated() {
            unsafe _ = posix_spawn_file_actions_adddup2(&actions, other, EngineHost.firstSocket + Int32(index))
        }
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe _ = posix_spawnattr_destroy(&attributes) }
        // Control-C, and a service manager's signals, reach the whole group: only the process with
        // the connections acts on them, so that requests that came before have their responses.
        var blocked = sigset_t()
        unsafe sigemptyset(&blocked)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { unsafe _ = sigaddset(&blocked, signal) }
        unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var vector: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe vector.append(nil)
        defer { unsafe vector.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let failure = unsafe posix_spawn(&child, path, &actions, &attributes, vector, environ)
        guard failure == 0 else { throw FileError(path: path, errorNumber: failure) }
        return Engine(sockets: own, process: child)
    }

    /// Sends a request through a socket that no other request uses, and waits for the response.
    func reply(to request: Request, through socket: Int, before deadline: ContinuousClock.Instant) throws(LocalSocket.Failure)
        -> EngineReply
    {
        let (message, file) = request.message()
        do throws(LocalSocket.Failure) {
            try withExtendedLifetime(request) { () throws(LocalSocket.Failure) in try sockets[socket].send(message, file, before: deadline)
            }
        } catch {
            throw error
        }
        let received = try sockets[socket].message(before: deadline)
        guard let reply = EngineReply(received.0, descriptor: received.descriptor) else { throw .ended }
        return reply
    }
}
