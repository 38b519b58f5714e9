internal import CCairn
internal import LibC

/// One end of a pair of sockets between two processes of ours (`socketpair(2)`), through which
/// bytes and open files go. Closed in the end.
@safe package final class LocalSocket: Sendable {
    package enum Failure: Error, Hashable, Sendable {
        /// The other process has ended, or closed its end.
        case ended
        /// The other end did not send, or take, anything in time.
        case late
    }

    private let descriptor: Int32

    /// - Parameter descriptor: a connected socket, which this object closes in the end.
    package init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Two ends, both closed on exec.
    package static func pair() throws(FileError) -> (LocalSocket, LocalSocket) {
        var ends: [Int32] = [-1, -1]
        // At once, because another thread may start a program immediately afterwards: that would
        // keep the other end open, and the end of its process would not be detected.
        #if canImport(Darwin)
            let kind = SOCK_STREAM
        #else
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw FileError(path: "socketpair", errorNumber: errno) }
        #if canImport(Darwin)
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                var isSet: Int32 = 1
                unsafe _ = setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &isSet, socklen_t(MemoryLayout<Int32>.size))
            }
        #endif
        return (LocalSocket(descriptor: ends[0]), LocalSocket(descriptor: ends[1]))
    }

    /// The number that a program that is started gets it under (`StartedProcess`).
    package func withDescriptor<Result, Failure: Error>(_ body: (Int32) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(descriptor)
    }

    /// Closes it in programs that this process becomes or starts, after it was inherited.
    package func closeOnExec() { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Ends it for both sides (`shutdown(2)`), also if other processes have it open.
    package func shutDown() { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Sends all bytes; an open file goes with the first of them.
    package func send(_ bytes: [UInt8], _ file: MappedFile.OpenPart? = nil, before deadline: ContinuousClock.Instant? = nil) throws(Failure)
    {
        var done = 0
        while done < bytes.count {
            try wait(for: Int16(POLLOUT), before: deadline)
            let sent = unsafe bytes.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
                return unsafe cairn_send(descriptor, rest.baseAddress, rest.count, done == 0 ? file?.descriptor ?? -1 : -1)
            }
            guard sent > 0 else { throw .ended }
            done += sent
        }
    }

    /// Receives as many bytes.
    /// - Parameter file: gets the descriptor that came with them, if one did, which the caller
    ///   closes.
    package func receive(_ count: Int, _ file: inout Int32, before deadline: ContinuousClock.Instant? = nil) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            try wait(for: Int16(POLLIN), before: deadline)
            let received = unsafe bytes.withUnsafeMutableBytes { bytes in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
                return unsafe cairn_receive(descriptor, rest.baseAddress, rest.count, &file)
            }
            guard received > 0 else { throw .ended }
            done += received
        }
        return bytes
    }

    /// Sends bytes with their number before them, for `message`.
    package func send(message bytes: [UInt8], before deadline: ContinuousClock.Instant? = nil) throws(Failure) {
        try send((0..<8).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes, before: deadline)
    }

    /// Receives bytes that were sent with their number.
    /// - Parameter most: maximum number of bytes; a longer message ends the connection.
    package func message(maxBytes: Int, before deadline: ContinuousClock.Instant? = nil) throws(Failure) -> [UInt8] {
        var none: Int32 = -1
        defer { if none >= 0 { close(none) } }
        let head = try receive(8, &none, before: deadline)
        let count = head.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= UInt64(clamping: maxBytes) else { throw .ended }
        return try receive(Int(clamping: count), &none, before: deadline)
    }

    /// Waits until the other end is closed (`POLLHUP`, poll(2)), ignoring all input.
    package func waitForEnd() {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        while unsafe poll(&entry, 1, -1) < 0, errno == EINTR {}
    }

    private func wait(for events: Int16, before deadline: ContinuousClock.Instant?) throws(Failure) {
        guard let deadline else { return }
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { throw .late }
            let milliseconds = min(left.components.seconds, 86_400) * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            var entry = pollfd(fd: descriptor, events: events, revents: 0)
            let count = unsafe poll(&entry, 1, Int32(clamping: milliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw .ended }
        }
    }
}
