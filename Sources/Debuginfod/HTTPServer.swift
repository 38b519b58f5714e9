internal import AsyncHTTPClient
internal import BinaryPrimitives
internal import Console
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import SymbolFiles

/// A server that speaks debuginfod's protocol over HTTP or HTTPS.
final class HTTPServer: DebuginfodServer {
    let url: String
    private let client: HTTPClient
    private let headers: HTTPHeaders
    private let timeout: Duration?
    private let isGivenHostsOnly: Bool
    /// Why it is not connected to.
    private let refusal: String?

    init(url: String, settings: FetchSettings, environment: (String) -> String?) {
        self.url = url
        timeout = settings.timeout
        isGivenHostsOnly = settings.isGivenHostsOnly
        var headers = HTTPHeaders([("User-Agent", "cairn/\(cairnVersion)"), ("Accept-Encoding", "gzip")])
        for header in settings.headers { headers.replaceOrAdd(name: header.name, value: header.value) }
        self.headers = headers

        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = settings.isGivenHostsOnly ? .disallow : .follow(max: 5, allowCycles: false)
        configuration.timeout.connect = TimeAmount(settings.timeout ?? .seconds(90))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = settings.parallel
        // A server that refuses would be tried again and again until the budget is spent.
        configuration.connectionPool.retryConnectionEstablishment = false
        // A small response must not become an endless file.
        configuration.decompression = .enabled(limit: .size(settings.sizeLimit))
        configuration.proxy = ProxyChoice(for: url, environment: environment)?.proxy
        if settings.isGivenHostsOnly, configuration.proxy == nil {
            let host = PublicHost(url: url)
            refusal = host.refusal
            // Connected to is the address that was looked at, not what the name means a moment
            // later.
            if let address = host.address { configuration.dnsOverride = [host.name: address] }
        } else {
            refusal = nil
        }
        if let path = settings.authorities {
            var security = TLSConfiguration.makeClientConfiguration()
            security.trustRoots = .file(path)
            configuration.tlsConfiguration = security
        }
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func ask(_ question: DebuginfodQuestion, before deadline: ContinuousClock.Instant) async -> ServerReply {
        if let refusal { return .failed(refusal, isTransient: false) }
        var request = HTTPClientRequest(url: question.url(at: url))
        request.headers = headers
        do {
            let left = deadline - .now
            let wait = min(left, timeout ?? left)
            let late = FetchFailure(words: wait < left ? "no reply within \(wait.words)" : "no reply in time")
            guard wait > .zero else { throw late }
            let response = try await withLimit(until: .now + wait, else: late) {
                [client, request] in
                // The client's own deadline would hold for the whole file.
                try await client.execute(request, deadline: .now() + TimeAmount(left))
            }
            switch response.status {
            case .ok: return .file(body(of: response))
            case .notFound, .gone: return .absent
            case .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout:
                return .failed("HTTP \(response.status.code)", isTransient: true)
            case let status where isGivenHostsOnly && (300..<400).contains(status.code):
                return .failed("it leads to another place (HTTP \(status.code)), which is not followed", isTransient: false)
            default: return .failed("HTTP \(response.status.code)", isTransient: false)
            }
        } catch {
            let failure = Self.failure(error)
            return .failed(failure.words, isTransient: failure.isTransient)
        }
    }

    private func body(of response: HTTPClientResponse) -> FileBody {
        let isEncoded = response.headers.contains(name: "Content-Encoding")
        // What is compressed on its way has another length on the way; debuginfod says the file's
        // own as well.
        let length =
            response.headers.first(name: "X-DEBUGINFOD-SIZE") ?? (isEncoded ? nil : response.headers.first(name: "Content-Length"))
        return FileBody(
            size: length.flatMap { Int($0) }, pieces: response.body.map { Array($0.readableBytesView) }, meaning: { Self.failure($0) })
    }

    func shutDown() async { try? await client.shutdown() }

    /// The words for what went wrong on the way, as a user can act on them.
    static func failure(_ error: any Error) -> FetchFailure {
        switch error {
        case let failure as FetchFailure: return failure
        case let refused as NIOConnectionError:
            if refused.dnsAError != nil, refused.dnsAAAAError != nil { return FetchFailure(words: "no such host: \(refused.host)") }
            return refused.connectionErrors.first.map { failure($0.error) } ?? FetchFailure(words: "no connection")
        case let system as IOError:
            return FetchFailure(
                words: FileError(path: "", errorNumber: system.errnoCode).problem.lowercased(),
                isTransient: system.errnoCode == ECONNRESET)
        case ChannelError.connectTimeout: return FetchFailure(words: "no connection in time")
        // A connection that was kept open for the next request, and that the server had just
        // closed.
        case is ChannelError: return FetchFailure(words: "the connection broke off", isTransient: true)
        case let client as HTTPClientError: return failure(client)
        case is HTTPParserError: return FetchFailure(words: "its reply is not HTTP, or broke off", isTransient: true)
        case is NIOHTTPDecompression.DecompressionError: return FetchFailure(words: "its reply could not be unpacked, or is too large")
        case is NIOSSLError, is BoringSSLError: return FetchFailure(words: "no secure connection: \(error)")
        default: return FetchFailure(words: "\(error)")
        }
    }

    private static func failure(_ error: HTTPClientError) -> FetchFailure {
        switch error {
        case .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout, .cancelled: FetchFailure(words: "no reply in time")
        case .connectTimeout: FetchFailure(words: "no connection in time")
        case .remoteConnectionClosed, .uncleanShutdown: FetchFailure(words: "the connection broke off", isTransient: true)
        case .redirectCycleDetected, .redirectLimitReached: FetchFailure(words: "too many redirects")
        default: FetchFailure(words: error.shortDescription.lowercased())
        }
    }
}
