#if Service
    internal import BinaryPrimitives
    internal import HTTPTypes
    internal import HummingbirdCore
    internal import NIOCore
    internal import NIOPosix
    internal import Serving

    /// A response on its way to a client: a file piece by piece, as the client takes it.
    struct SentResponse {
        let response: Response
        /// Compressed for this client.
        let isCompressed: Bool
        /// The connection ends after it.
        let isLast: Bool

        private static let piece = 256 << 10
        /// Bytes from which on compressing pays.
        private static let least = 1 << 10

        init(_ response: Response, for request: Request, isLast: Bool) {
            var response = response
            var isCompressed = false
            if request.method != "HEAD", response.status == 200, response.body.count >= Self.least,
                response.header("Content-Encoding") == nil
            {
                response.headers.append(("Vary", "Accept-Encoding"))
                if Self.accepts("gzip", request.header("Accept-Encoding") ?? ""), request.header("Range") == nil {
                    response.headers.removeAll { ["content-length", "accept-ranges"].contains($0.name.lowercased()) }
                    response.headers.append(("Content-Encoding", "gzip"))
                    isCompressed = true
                }
            }
            if isLast { response.headers.append(("Connection", "close")) }
            self.response = response
            self.isCompressed = isCompressed
            self.isLast = isLast
        }

        /// `deflate, gzip;q=0.5` has gzip; `gzip;q=0` has not (RFC 9110, section 12.5.3).
        static func accepts(_ coding: String, _ header: String) -> Bool {
            header.split(separator: ",").contains { part in
                let words = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                guard words.first == coding || words.first == "*" else { return false }
                return !words.dropFirst().contains {
                    $0.hasPrefix("q=0") && !$0.dropFirst("q=0".utf8.count).contains { ("1"..."9").contains($0) }
                }
            }
        }

        private var head: HTTPResponse {
            var fields = HTTPFields()
            for (name, value) in response.headers {
                if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
            }
            return HTTPResponse(status: HTTPResponse.Status(code: response.status), headerFields: fields)
        }

        func send(_ writer: consuming ResponseWriter) async throws {
            switch response.body {
            case .bytes(let bytes):
                let body = isCompressed ? GzipEncoder()?.encode(bytes, isLast: true) ?? [] : bytes
                try await writer.write(response: head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
            case .file(let file, let range):
                var body = try await writer.writeHead(head)
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
                        if !encoded.isEmpty { try await body.write(ByteBuffer(bytes: encoded)) }
                    } else {
                        try await body.write(ByteBuffer(bytes: bytes))
                    }
                }
                encoder = nil
                try await body.finish(nil)
            }
        }
    }
#endif
