import NIOCore
import NIOPosix
import Synchronization

/// A server on a loopback port that sends what a test specifies, byte for byte: what real servers
/// never send.
final class ScriptedServer: Sendable {
    /// What becomes of one request, by its number from 0 and its first line.
    enum Reply: Sendable {
        /// Sends these bytes and closes.
        case bytes([UInt8])
        /// Sends these bytes again and again, until the other side is gone.
        case endless(head: [UInt8], piece: [UInt8])
        /// Sends these bytes and nothing more.
        case stall([UInt8])

        static func text(_ text: String) -> Reply { .bytes(Array(text.utf8)) }

        static func file(_ bytes: [UInt8], headers: String = "") -> Reply {
            .bytes(Array("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(bytes.count)\r\n\(headers)\r\n".utf8) + bytes)
        }

        static let notFound = text("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 9\r\n\r\nnot found")
        static func status(_ status: String) -> Reply { text("HTTP/1.1 \(status)\r\nConnection: close\r\nContent-Length: 0\r\n\r\n") }
        static func redirect(_ place: String) -> Reply { status("302 Found\r\nLocation: \(place)") }
    }

    let url: String
    private let channel: any Channel
    private let log: RequestLog

    /// The first line and the headers of every request.
    var requests: [String] { log.requests }

    init(_ reply: @escaping @Sendable (Int, String) -> Reply) async throws {
        let log = RequestLog()
        self.log = log
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Script(log: log, reply: reply)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        url = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    func stop() async throws { try await channel.close() }
}

private final class RequestLog: Sendable {
    private let lines = Mutex<[String]>([])

    var requests: [String] { lines.withLock { $0 } }

    func add(_ request: String) -> Int {
        lines.withLock {
            $0.append(request)
            return $0.count - 1
        }
    }
}

private final class Script: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: RequestLog
    private let reply: @Sendable (Int, String) -> ScriptedServer.Reply
    private var received = ""
    private var piece: [UInt8] = []

    init(log: RequestLog, reply: @escaping @Sendable (Int, String) -> ScriptedServer.Reply) {
        self.log = log
        self.reply = reply
    }

    /// The headers have come, and as many bytes of a body as they say.
    private var isWhole: Bool {
        guard let end = received.firstRange(of: "\r\n\r\n") else { return false }
        let lines = received[..<end.lowerBound].split(separator: "\r\n").map { $0.lowercased() }
        let length = lines.lazy.compactMap { $0.hasPrefix("content-length: ") ? Int($0.dropFirst(16)) : nil }.first ?? 0
        return received[end.upperBound...].utf8.count >= length
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        received += String(buffer: unwrapInboundIn(data))
        guard isWhole else { return }
        let request = received
        received = ""
        switch reply(log.add(request), request) {
        case .bytes(let bytes):
            let loopBound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes))).whenComplete { _ in loopBound.value.close(promise: nil) }
        case .stall(let bytes): context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        case .endless(let head, let piece):
            self.piece = piece
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: head)), promise: nil)
            sendMore(context)
        }
    }

    private func sendMore(_ context: ChannelHandlerContext) {
        let loopBound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece))).whenSuccess { loopBound.value.0.sendMore(loopBound.value.1) }
    }
}
