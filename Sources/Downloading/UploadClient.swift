package import BinaryPrimitives

/// Reply of a server to a symbol file.
package enum UploadReply: Sendable, Hashable {
    case added, known
    /// No identity was found in it.
    case withoutIdentity
    /// The server has another file with that identifier.
    case differs
    case tooLarge
    /// - Parameter isLast: other files would fail, too.
    case failed(String, isLast: Bool)
}

/// Sends symbol files to `cairn serve` (`PUT /v1/symbols`).
package struct UploadClient: Sendable {
    /// Template of all requests, without a file.
    private let request: TransferRequest
    private let transfers = TransferLoop()
    private let sleep: @Sendable (Duration) async -> Void

    /// Maximum number of times that a file is sent, and longest time for which the server may make the client
    /// wait each time.
    private static let tries = 5
    private static let longestPause = 300
    /// For a file and the server's work on it.
    private static let longestTransfer = Duration.seconds(12 * 3600)

    /// - Parameters:
    ///   - url: URL of the server, without a path of its own or with the path of a proxy.
    ///   - sleep: waits; does not wait in a test.
    package init(
        url: String, token: String, environment: (String) -> String?,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        var request = TransferRequest(url: (url.hasSuffix("/") ? String(url.dropLast()) : url) + "/v1/symbols")
        request.headers = ["Authorization: Bearer " + token, "Content-Type: application/octet-stream"]
        request.connectTimeout = .seconds(30)
        // The token is for this server and no other.
        request.redirectLimit = 0
        request.proxy = ProxyChoice(for: url, environment: environment)
        if let path = environment("SSL_CERT_FILE"), !path.isEmpty { request.authorities = path }
        self.request = request
        self.sleep = sleep
    }

    package func shutDown() { transfers.stop() }

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

    /// - Returns: the reply, and the seconds after which the request may be repeated.
    private func sendOnce(_ file: MappedFile, _ name: String) async -> (UploadReply, Int?) {
        var request = request
        request.url += "?name=" + Self.escaped(name)
        request.upload = file
        let transfer = transfers.start(request)
        do {
            let late = FetchFailure(message: "no reply in time")
            let head = try await withLimit(until: .now + Self.longestTransfer, else: late) { try await transfer.head() }
            // The text of the reply is for people, and short.
            await transfer.finish()
            return Self.reply(head)
        } catch {
            let failure = (error as? FetchFailure) ?? FetchFailure(message: "\(error)")
            return (.failed(failure.message, isLast: true), failure.isTransient ? 0 : nil)
        }
    }

    private static func reply(_ head: ResponseHead) -> (UploadReply, Int?) {
        switch head.status {
        case 201: (.added, nil)
        case 200: (.known, nil)
        case 401, 403: (.failed("the server does not accept the token", isLast: true), nil)
        case 404, 405: (.failed("the server takes no uploads", isLast: true), nil)
        case 409: (.differs, nil)
        case 413: (.tooLarge, nil)
        case 422: (.withoutIdentity, nil)
        case 429, 503:
            // Seconds; a date is ignored (RFC 9110, section 10.2.3).
            (.failed("the server is busy", isLast: true), head.fields["retry-after"].flatMap { Int($0) }.map { max(0, $0) } ?? 0)
        case 507: (.failed("the disk of the server is full", isLast: true), nil)
        case 300...399:
            (.failed("the server redirects to \(PlainText.line(head.fields["location"] ?? "?", limit: 200))", isLast: true), nil)
        default: (.failed("HTTP \(head.status)", isLast: false), nil)
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
}
