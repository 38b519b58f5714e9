import BinaryPrimitives
import LibC
import Synchronization
import TestSupport

/// A server on a loopback port that sends what a test specifies, byte for byte: what real servers
/// never send. Each connection has a thread.
final class ScriptedServer: Sendable {
    /// Reply to one request, chosen by its number from 0 and its first line.
    enum Reply: Sendable {
        /// Sends these bytes and closes.
        case bytes([UInt8])
        /// Sends these bytes again and again, until the other side is gone.
        case endless(head: [UInt8], piece: [UInt8])
        /// Sends these bytes and nothing more, until the other side is gone.
        case stall([UInt8])

        static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        static func file(_ bytes: [UInt8], headers: String = "") -> Reply {
            .bytes(Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n\(headers)\r\n".utf8) + bytes)
        }

        static let notFound = text("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 9\r\n\r\nnot found")
        static func status(_ status: String) -> Reply { text("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") }
        static func redirect(_ location: String) -> Reply { status("302 Found\r\nLocation: \(location)") }
    }

    typealias Script = @Sendable (Int, String) -> Reply

    let url: String
    /// Has an element for each connection that the other side has left before its reply ended.
    let abandoned: AsyncStream<Void>
    private let listener: LoopbackListener
    private let log = RequestLog()

    /// The first line, the headers and the body of every request.
    var requests: [String] { log.requests }

    /// - Parameter isWhole: whether these bytes are a request that is replied to.
    init(isWhole: @escaping @Sendable ([UInt8]) -> Bool = ScriptedServer.isWholeRequest, _ reply: @escaping Script) throws {
        let listener = try LoopbackListener()
        let (abandoned, leaving) = AsyncStream.makeStream(of: Void.self)
        self.listener = listener
        self.abandoned = abandoned
        url = "http://127.0.0.1:\(listener.port)"
        let isRunning = Parallel.start { [log] in
            while let socket = listener.acceptConnection() {
                let connection = Connection(socket: socket)
                _ = Parallel.start {
                    if connection.serve(isWhole, { reply(log.add($0), $0) }) { leaving.yield() }
                }
            }
        }
        guard isRunning else { throw RunError(description: "no thread") }
    }

    /// Refuses further connections; those that are open go on.
    func stop() { listener.refuseConnections() }

    /// The headers have come, and as many bytes of a body as they say.
    static func isWholeRequest(_ bytes: [UInt8]) -> Bool {
        guard let end = endOfHead(bytes) else { return false }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n").map { $0.lowercased() }
        let length = lines.lazy.compactMap { $0.hasPrefix("content-length: ") ? Int($0.dropFirst(16)) : nil }.first ?? 0
        return bytes.count - end >= length
    }

    /// Behind the empty line after the headers.
    static func endOfHead(_ bytes: [UInt8]) -> Int? { bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound }
}

private final class RequestLog: Sendable {
    private let texts = Mutex<[String]>([])

    var requests: [String] { texts.withLock { $0 } }

    func add(_ request: String) -> Int {
        texts.withLock {
            $0.append(request)
            return $0.count - 1
        }
    }
}

/// The server's side of a connection.
private struct Connection {
    let socket: Int32

    /// Replies to one request and closes.
    /// - Returns: whether the other side has left before.
    func serve(_ isWhole: ([UInt8]) -> Bool, _ reply: (String) -> ScriptedServer.Reply) -> Bool {
        // Writing to a closed connection raises a signal; it is blocked in this thread.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        defer {
            // A program that another test has just started may have the socket too.
            _ = shutdown(socket, Int32(SHUT_RDWR))
            close(socket)
        }
        var received: [UInt8] = []
        while !isWhole(received) {
            let more = readSome()
            if more.isEmpty { return true }
            received += more
        }
        switch reply(String(decoding: received, as: UTF8.self)) {
        case .bytes(let bytes): return !send(bytes)
        case .stall(let bytes):
            guard send(bytes) else { return true }
            while !readSome().isEmpty {}
            return true
        case .endless(let head, let piece):
            var isThere = send(head)
            while isThere { isThere = send(piece) }
            return true
        }
    }

    /// - Returns: no bytes when the other side has left.
    private func readSome() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(socket, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            return Array(buffer.prefix(max(0, count)))
        }
    }

    /// - Returns: `false` when the other side has left.
    private func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe write(socket, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
