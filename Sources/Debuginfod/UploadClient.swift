internal import AsyncHTTPClient
package import BinaryPrimitives
internal import Console
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// What a server made of a symbol file.
package enum UploadReply: Sendable, Hashable {
    case added, known
    /// No identity was found in it.
    case withoutIdentity
    /// The server has another file of that identity.
    case differs
    case tooLarge
    /// - Parameter isLast: other files would fail, too.
    case failed(String, isLast: Bool)
}

/// Sends symbol files to `cairn serve` (`PUT /v1/symbols`).
package struct UploadClient: Sendable {
    private let url: String
    private let headers: HTTPHeaders
    private let client: HTTPClient
    private let sleep: @Sendable (Duration) async -> Void

    /// How often a file is sent at most, and how long the server may make the client wait each
    /// time.
    private static let tries = 5
    private static let longestPause = 300
    private static let part = 1 << 18

    /// - Parameters:
    ///   - url: of the server, without a path of its own or with that of a proxy.
    ///   - sleep: waits; a test does not.
    package init(
        url: String, token: String, environment: (String) -> String?,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.url = (url.hasSuffix("/") ? String(url.dropLast()) : url) + "/v1/symbols"
        self.sleep = sleep
        headers = HTTPHeaders([
            ("User-Agent", "cairn/\(cairnVersion)"), ("Authorization", "Bearer " + token), ("Content-Type", "application/octet-stream"),
        ])
        var configuration = HTTPClient.Configuration()
        // The token is for this server and no other.
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(30)
        // A server that refuses would be tried until the request's time is over.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.proxy = ProxyChoice(for: url, environment: environment)?.proxy
        if let path = environment("SSL_CERT_FILE"), !path.isEmpty {
            var security = TLSConfiguration.makeClientConfiguration()
            security.trustRoots = .file(path)
            configuration.tlsConfiguration = security
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutDown() async { try? await client.shutdown() }

    /// Sends a file, again where the server is busy or the connection breaks off.
    package func send(_ file: MappedFile, name: String) async -> UploadReply {
        var pause = 1
        for attempt in 1...Self.tries {
            let (reply, wanted) = await sendOnce(file, name)
            guard let wanted, attempt < Self.tries else { return reply }
            let seconds = min(max(wanted, pause), Self.longestPause)
            await sleep(.seconds(seconds))
            pause *= 2
        }
        return .failed("the server is busy", isLast: true)
    }

    /// - Returns: the reply, and the seconds after which the same is worth another request.
    private func sendOnce(_ file: MappedFile, _ name: String) async -> (UploadReply, Int?) {
        var request = HTTPClientRequest(url: url + "?name=" + Self.escaped(name))
        request.method = .PUT
        request.headers = headers
        request.body = .stream(Pieces(file: file), length: .known(Int64(file.size)))
        do {
            let response = try await client.execute(request, timeout: .hours(12))
            // Its words are for people, and short.
            for try await _ in response.body {}
            return Self.reply(response, name)
        } catch {
            let failure = HTTPServer.failure(error)
            return (.failed(failure.words, isLast: true), failure.isTransient ? 0 : nil)
        }
    }

    private static func reply(_ response: HTTPClientResponse, _ name: String) -> (UploadReply, Int?) {
        switch response.status.code {
        case 201: (.added, nil)
        case 200: (.known, nil)
        case 401, 403: (.failed("the server does not accept the token", isLast: true), nil)
        case 404, 405: (.failed("the server takes no uploads", isLast: true), nil)
        case 409: (.differs, nil)
        case 413: (.tooLarge, nil)
        case 422: (.withoutIdentity, nil)
        case 429, 503:
            // Seconds; a date counts as none (RFC 9110, section 10.2.3).
            (
                .failed("the server is busy", isLast: true),
                response.headers.first(name: "Retry-After").flatMap { Int($0) }.map { max(0, $0) } ?? 0
            )
        case 507: (.failed("the disk of the server is full", isLast: true), nil)
        case 300...399:
            (
                .failed(
                    "the server redirects to \(PlainText.line(response.headers.first(name: "Location") ?? "?", limit: 200))", isLast: true),
                nil
            )
        default: (.failed("HTTP \(response.status.code)", isLast: false), nil)
        }
    }

    /// A file's name in a query (RFC 3986, section 2.3).
    static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
            }
        }
        return text
    }

    /// A file's bytes, read as they are sent.
    private struct Pieces: AsyncSequence, Sendable {
        let file: MappedFile

        struct AsyncIterator: AsyncIteratorProtocol {
            let file: MappedFile
            var position = 0

            mutating func next() async throws -> ByteBuffer? {
                guard position < file.size else { return nil }
                let bytes = file.bytes(in: position..<Swift.min(position + UploadClient.part, file.size))
                guard !bytes.isEmpty else { throw FetchFailure(words: "\(file.path) could not be read to its end") }
                position += bytes.count
                return ByteBuffer(bytes: bytes)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file) }
    }
}
