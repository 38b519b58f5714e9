internal import BinaryPrimitives
internal import SymbolFiles

/// A server that speaks debuginfod's protocol over HTTP or HTTPS.
final class HTTPServer: DebuginfodServer {
    let url: String
    private let transfers: TransferLoop
    /// Template of all requests, without a URL.
    private let request: TransferRequest
    private let timeout: Duration?
    private let isGivenHostsOnly: Bool
    /// Why no connection to it is made.
    private let refusal: String?

    private static let maxRedirects = 5

    init(url: String, settings: FetchSettings, environment: (String) -> String?, transfers: TransferLoop) {
        self.url = url
        self.transfers = transfers
        timeout = settings.timeout
        isGivenHostsOnly = settings.isGivenHostsOnly
        var request = TransferRequest(url: url)
        request.headers = settings.headers.map { "\($0.name): \($0.value)" }
        request.redirectLimit = settings.isGivenHostsOnly ? 0 : Self.maxRedirects
        if let timeout = settings.timeout { request.connectTimeout = timeout }
        request.authorities = settings.authorities
        request.usesNetrc = true
        request.proxy = ProxyChoice(for: url, environment: environment)
        var refusal: String?
        // Whether there is a proxy is decided here, since without one the address is checked.
        if settings.isGivenHostsOnly, let name = PublicHost.name(in: url) {
            request.proxy = request.proxy.applied(to: name)
            if request.proxy.url.isEmpty {
                let host = PublicHost(url: url)
                refusal = host.refusal
                // The connection is made to the address that was checked, not to a later address of the name.
                request.address = host.address
            }
        }
        self.refusal = refusal
        self.request = request
    }

    func fetch(_ question: DebuginfodRequest, before deadline: ContinuousClock.Instant) async -> ServerReply {
        if let refusal { return .failed(refusal, isTransient: false) }
        do {
            let left = deadline - .now
            let wait = min(left, timeout ?? left)
            let late = FetchFailure(message: wait < left ? "no reply within \(wait.text)" : "no reply in time")
            guard wait > .zero else { throw late }
            var request = request
            request.url = question.url(at: url)
            let transfer = transfers.start(request)
            let head = try await withLimit(until: .now + wait, else: late) { try await transfer.head() }
            if head.status == 200 { return .file(body(of: transfer, head)) }
            await transfer.finish()
            return reply(status: head.status)
        } catch {
            let failure = (error as? FetchFailure) ?? FetchFailure(message: "\(error)")
            return .failed(failure.message, isTransient: failure.isTransient)
        }
    }

    /// The meaning of a status other than 200 (RFC 9110, section 15).
    private func reply(status: Int) -> ServerReply {
        switch status {
        case 404, 410: .absent
        case 429, 502, 503, 504: .failed("HTTP \(status)", isTransient: true)
        case 300..<400 where isGivenHostsOnly:
            .failed("it leads to another place (HTTP \(status)), which is not followed", isTransient: false)
        default: .failed("HTTP \(status)", isTransient: false)
        }
    }

    private func body(of transfer: Transfer, _ head: ResponseHead) -> FileBody {
        // A compressed transfer has another length than the file; debuginfod also sends the file's own.
        let length = head.fields["x-debuginfod-size"] ?? (head.fields["content-encoding"] == nil ? head.fields["content-length"] : nil)
        return FileBody(size: length.flatMap { Int($0) }, pieces: ResponseBody(transfer))
    }
}
