import LibC

/// A port of 127.0.0.1 whose connections the kernel accepts, and where nobody ever replies.
package final class LoopbackListener: Sendable {
    package let port: UInt16
    private let sockets: [Int32]

    /// - Parameter isFull: the queue of connections is filled, so that further ones are not even
    ///   accepted: on Linux they hang as those to a machine that is not there.
    package init(isFull: Bool = false) throws {
        let listener = socket(AF_INET, Self.stream, 0)
        var address = Self.address(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listener, address, size) == 0 && listen(listener, isFull ? 0 : 64) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard result else { throw RunError(description: "no port of 127.0.0.1 can be listened to") }
        port = UInt16(bigEndian: address.sin_port)
        var all = [listener]
        // A queue of 0 holds one; the next ones stay in the middle of their handshake.
        for _ in 0..<(isFull ? 4 : 0) {
            let client = socket(AF_INET, Self.stream, 0)
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            var target = Self.address(port: port)
            unsafe withUnsafePointer(to: &target) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe _ = connect(client, $0, size) }
            }
            all.append(client)
        }
        sockets = all
    }

    deinit { for socket in sockets { close(socket) } }

    /// Waits for a connection.
    /// - Returns: its socket, which the caller closes; `nil` after `refuseConnections`.
    package func acceptConnection() -> Int32? {
        while true {
            let connection = unsafe accept(sockets[0], nil, nil)
            if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return connection
        }
    }

    /// Listens no more: who connects is refused.
    package func refuseConnections() { _ = shutdown(sockets[0], Int32(SHUT_RDWR)) }

    /// A port where nobody listens; another process may take it at any time.
    package static func freePort() throws -> UInt16 { try LoopbackListener().port }

    private static var stream: Int32 {
        #if canImport(Glibc)
            Int32(SOCK_STREAM.rawValue)
        #else
            SOCK_STREAM
        #endif
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
        return address
    }
}
