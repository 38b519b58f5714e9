#if Service
    internal import BinaryPrimitives
    internal import NIOCore
    internal import NIOHTTP1
    internal import NIOPosix
    internal import Serving

    /// A response on its way to a client: a file piece by piece, as the client takes it.
    struct SentResponse {
        let response: Response
        /// Compressed for this client.
        let isCompressed: Bool
        /// The connection ends after it.
        let isLast: Bool
        private let version: HTTPVersion

        private static let piece = 256 << 10
        /// Bytes from which on compressing pays.
        private static let minBytes = 1 << 10

        /// - Parameter head: of the request.
        init(_ response: Response, for request: Request, _ head: HTTPRequestHead, isLast: Bool) {
            var response = response
            var isCompressed = false
            if request.method != "HEAD", response.status == 200, response.body.count >= Self.minBytes,
                response.header("Content-Encoding") == nil
            {
                response.headers.append(("Vary", "Accept-Encoding"))
                if Self.accepts("gzip", request.header("Accept-Encoding") ?? ""), request.header("Range") == nil {
                    response.headers.removeAll { ["content-length", "accept-ranges"].contains($0.name.lowercased()) }
                    response.headers.append(("Content-Encoding", "gzip"))
                    isCompressed = true
                }
            }
            // HTTP/1.0 has no chunks: a body of unknown length ends with the connection, which clients keep only if they are told so.
            let isOld = head.version == .http1_0
            self.isLast = isLast || !Connection.mayContinue(after: head) || (isOld && response.header("Content-Length") == nil)
            if self.isLast {
                response.headers.append(("Connection", "close"))
            } else if isOld {
                response.headers.append(("Connection", "keep-alive"))
            }
            self.response = response
            self.isCompressed = isCompressed
            version = isOld ? .http1_0 : .http1_1
        }

        /// `deflate, gzip;q=0.5` has gzip; `gzip;q=0` has not (RFC 9110, section 12.5.3).
        static func accepts(_ coding: String, _ header: String) -> Bool {
            header.split(separator: ",").contains { part in
                let tokens = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                guard tokens.first == coding || tokens.first == "*" else { return false }
                return !tokens.dropFirst().contains {
                    $0.hasPrefix("q=0") && !$0.dropFirst("q=0".utf8.count).contains { ("1"..."9").contains($0) }
                }
            }
        }

        /// The response's head. Controls in values, with which a file's name could end a header, become spaces (RFC 9110, section 5.5): the engine reads bytes of strangers.
        var head: HTTPResponseHead {
            let fields = response.headers.map { name, value in
                (name, String(decoding: value.utf8.map { $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: " ") : $0 }, as: UTF8.self))
            }
            return HTTPResponseHead(version: version, status: HTTPResponseStatus(statusCode: response.status), headers: HTTPHeaders(fields))
        }

        func send(_ connection: inout Connection) async throws {
            switch response.body {
            case .bytes(let bytes):
                let body = isCompressed ? GzipEncoder()?.encode(bytes, isLast: true) ?? [] : bytes
                try await connection.write(head, body: ByteBuffer(bytes: body))
            case .file(let file, let range):
                try await connection.write(head)
                var encoder = isCompressed ? GzipEncoder() : nil
                var position = range.lowerBound
                while position < range.upperBound {
                    let part = position..<min(position + Self.piece, range.upperBound)
                    // A disk that is slow, or gone, holds this response up and no other.
                    let bytes = try await NIOThreadPool.singleton.runIfActive { file.bytes(in: part) }
                    // The file has become shorter: the client sees that the end is missing.
                    guard bytes.count == part.count else { throw CancellationError() }
                    position = part.upperBound
                    if let encoded = encoder?.encode(bytes, isLast: position == range.upperBound) {
                        if !encoded.isEmpty { try await connection.write(ByteBuffer(bytes: encoded)) }
                    } else {
                        try await connection.write(ByteBuffer(bytes: bytes))
                    }
                }
                encoder = nil
                try await connection.finish()
            }
        }
    }
#endif
