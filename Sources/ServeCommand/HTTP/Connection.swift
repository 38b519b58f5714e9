#if Service
    internal import Logging
    internal import NIOCore
    internal import NIOHTTP1

    /// The server's side of an HTTP/1.1 connection (RFC 9112): requests are read and responses written one after another, each as fast as the other end goes.
    struct Connection {
        typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

        /// Address of the other end, without the port.
        let client: String
        private var parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
        private let writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
        /// The end of the request's body was read.
        private var isBodyOver = true
        /// A response was begun that is not an informational one.
        private var hasResponse = false

        /// Bytes that the parser does not read are kept up to this size: those after an `Upgrade`, or of another version of HTTP.
        private static let maxUnread = 64 << 10
        /// Maximum number of body bytes that are read and discarded after the last response. Beyond it the client is waited for without reading.
        private static let maxDiscarded = 16 << 20

        /// Adds the handlers of HTTP to a channel.
        /// - Parameter context: of TLS; `nil`: without it.
        static func setUp(_ channel: any NIOCore.Channel, _ context: TLSContext?, _ logger: Logger? = nil) throws -> Channel {
            let pipeline = channel.pipeline.syncOperations
            if let context {
                guard let session = TLSSession(context) else { throw ChannelError.ioOnClosedChannel }
                try pipeline.addHandler(TLSHandler(session, logger))
            }
            var limits = NIOHTTPDecoderLimitConfiguration()
            limits.maxHeaderFieldSize = 16 << 10
            limits.maxHeaderListSize = 64 << 10
            limits.maxHeaderFieldCount = 200
            let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
            try pipeline.addHandlers([
                HTTPResponseEncoder(), ByteToMessageHandler(decoder, maximumBufferSize: maxUnread), HTTPServerPipelineHandler(),
                NIOHTTPResponseHeadersValidator(), ConnectionGuard(ConnectionGuard.Limits()),
            ])
            return try Channel(wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }

        /// Serves a connection until its end.
        /// - Parameter respond: writes one response. It returns whether the connection may have another request.
        static func serve(_ channel: Channel, _ respond: (HTTPRequestHead, inout Connection) async throws -> Bool) async {
            // Errors are the other end's, and the connection's end is what they lead to.
            try? await channel.executeThenClose { inbound, outbound in
                var connection = Connection(
                    client: channel.channel.remoteAddress?.ipAddress ?? "unknown", parts: inbound.makeAsyncIterator(), writer: outbound)
                do {
                    while let head = try await connection.nextHead() {
                        guard isValid(head) else { throw HTTPParserError.invalidHeaderToken }
                        guard try await respond(head, &connection) else { break }
                    }
                } catch let error as HTTPParserError where error != .invalidEOFState && !connection.hasResponse {
                    let head = HTTPResponseHead(
                        version: .http1_1, status: .badRequest, headers: ["Connection": "close", "Content-Length": "0"])
                    try await outbound.write(contentsOf: [.head(head), .end(nil)])
                }
                // A connection that is closed while bytes of the client are unread is reset, and the response may be lost (RFC 9112, section 9.6): the client
                // closes it, or `ConnectionGuard`. An endless body is read up to `maxDiscarded`.
                outbound.finish()
                var left = Self.maxDiscarded
                while left > 0, let part = try await connection.parts.next() {
                    if case .body(let piece) = part { left -= piece.readableBytes }
                }
                if left <= 0 { try await channel.channel.closeFuture.get() }
            }
        }

        /// A request of HTTP/1.1 has one `Host` (RFC 9112, section 3.2).
        private static func isValid(_ head: HTTPRequestHead) -> Bool {
            let count = head.headers["Host"].count
            return count == 1 || (count == 0 && head.version == .http1_0)
        }

        /// Whether another request may follow. After one to change the protocol, which is not done here, the parser reads nothing more.
        static func mayContinue(after head: HTTPRequestHead) -> Bool {
            head.isKeepAlive && !head.headers.contains(name: "Upgrade") && head.method != .CONNECT
        }

        private init(
            client: String, parts: NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator,
            writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
        ) {
            self.client = client
            self.parts = parts
            self.writer = writer
        }

        /// The next request's head, after the rest of the one before; `nil` at the connection's end.
        private mutating func nextHead() async throws -> HTTPRequestHead? {
            while try await nextPiece() != nil {}
            hasResponse = false
            guard case .head(let head)? = try await parts.next() else { return nil }
            isBodyOver = false
            return head
        }

        /// The next piece of the request's body; `nil` at its end.
        /// - Throws: if the client closes the connection before the end.
        mutating func nextPiece() async throws -> ByteBuffer? {
            if isBodyOver { return nil }
            switch try await parts.next() {
            case .body(let piece): return piece
            case .end:
                isBodyOver = true
                return nil
            case .head, nil: throw ChannelError.inputClosed
            }
        }

        /// Tells a client that waits with its body to send it.
        func writeContinue() async throws { try await writer.write(.head(HTTPResponseHead(version: .http1_1, status: .continue))) }

        /// Writes a whole response.
        mutating func write(_ head: HTTPResponseHead, body: ByteBuffer) async throws {
            hasResponse = true
            try await writer.write(contentsOf: [.head(head), .body(.byteBuffer(body)), .end(nil)])
        }

        /// Begins a response whose pieces follow.
        mutating func write(_ head: HTTPResponseHead) async throws {
            hasResponse = true
            try await writer.write(.head(head))
        }

        func write(_ piece: ByteBuffer) async throws { try await writer.write(.body(.byteBuffer(piece))) }

        func finish() async throws { try await writer.write(.end(nil)) }
    }
#endif
