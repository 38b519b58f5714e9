internal import BinaryPrimitives
internal import SymbolFiles
internal import Synchronization

/// A server over HTTP or HTTPS, a bucket among them.
final class HTTPServer: FileServer {
    let name: String
    /// URL in front of the paths.
    private let base: String
    private let transfers: TransferLoop
    /// Template of all requests, without a URL.
    private let request: TransferRequest
    private let timeout: Duration?
    private let isGivenHostsOnly: Bool
    private let isBucket: Bool
    /// Result of the check of its host, and until when that counts: addresses of names change.
    private let checked = Mutex<(end: ContinuousClock.Instant, host: PublicHost)?>(nil)
    /// For redirects.
    private let proxies: (http: ProxyChoice, https: ProxyChoice)
    /// The time until which a server that did not reply gets no request, and the error.
    private let trouble = Mutex<(end: ContinuousClock.Instant, message: String)?>(nil)

    private static let maxRedirects = 5
    /// How long a server that did not reply is left alone: else each file of a report would wait for it.
    private static let pause = Duration.seconds(30)
    /// A server that did not reply within this time counts as one that does not.
    private static let patience = Duration.seconds(5)

    /// How long an address counts.
    private static let addressTime = Duration.seconds(30)

    /// - Parameter isOwn: the user named it; else a request did, and gets nothing of the user's settings.
    init(_ server: SymbolServer, isOwn: Bool, settings: FetchSettings, environment: (String) -> String?, transfers: TransferLoop) {
        self.transfers = transfers
        name = server.name
        timeout = settings.timeout
        isGivenHostsOnly = settings.isGivenHostsOnly
        let bucket = Bucket(server, environment: environment)
        isBucket = bucket != nil
        base = bucket?.url ?? server.url
        var request = TransferRequest(url: base)
        // The headers of elfutils' client are for servers that it speaks with.
        let isDebuginfod = isOwn && !server.isPrivate && server.layouts == [.debuginfod]
        request.headers = (isDebuginfod ? settings.headers.map { "\($0.name): \($0.value)" } : []) + server.headers
        request.signature = bucket?.signature
        // Required in signed requests; of a request without a body (curl makes it itself since 8.0).
        if bucket?.signature != nil { request.headers.append("x-amz-content-sha256: \(Bucket.hashOfNothing)") }
        if let token = bucket?.signature?.keys.token { request.headers.append("x-amz-security-token: \(token)") }
        if let timeout = settings.timeout { request.connectTimeout = timeout }
        request.authorities = settings.authorities
        request.usesNetrc = isOwn && bucket == nil
        proxies = (ProxyChoice(for: "http:", environment: environment), ProxyChoice(for: "https:", environment: environment))
        request.proxy = ProxyChoice(for: base, environment: environment)
        self.request = request
    }

    /// The check of the server's own host. An address that the operator gave may be a private one.
    private func ownHost() async -> PublicHost {
        if let known = checked.withLock({ $0 }), known.end > .now { return known.host }
        let host = await Self.resolved { [base] in PublicHost(url: base) }
        if host.refusal == nil { checked.withLock { $0 = (.now + Self.addressTime, host) } }
        return host
    }

    /// Looks a name up on a thread of its own, since that may take long, and nothing ends it.
    private static func resolved(_ look: @escaping @Sendable () -> PublicHost) async -> PublicHost {
        await withCheckedContinuation { waiting in
            if !Parallel.start({ waiting.resume(returning: look()) }) { waiting.resume(returning: look()) }
        }
    }

    /// Checks the host of a request that strangers cause. Whether there is a proxy is decided here, since without one the address is
    /// checked.
    /// - Returns: why the request is not sent.
    private static func check(_ request: inout TransferRequest, _ host: PublicHost) -> String? {
        request.address = nil
        guard !host.name.isEmpty else { return host.refusal }
        request.proxy = request.proxy.applied(to: host.name)
        guard request.proxy.url.isEmpty else { return nil }
        // The connection is made to the address that was checked, not to a later address of the name.
        request.address = host.address
        return host.refusal
    }

    func fetch(_ path: String, before deadline: ContinuousClock.Instant) async -> ServerReply {
        if let trouble = trouble.withLock({ $0 }), trouble.end > .now {
            return .failed(trouble.message, isTransient: false)
        }
        let start = ContinuousClock.now
        do {
            let left = deadline - start
            let wait = min(left, timeout ?? left)
            let late = FetchFailure(message: wait < left ? "no reply within \(wait.text)" : "no reply in time")
            guard wait > .zero else { throw late }
            var request = request
            if isGivenHostsOnly, let refusal = Self.check(&request, await ownHost()) { return .failed(refusal, isTransient: false) }
            request.url = base + "/" + PercentCoding.encoded(path, isPath: true)
            let (transfer, head) = try await withLimit(until: .now + wait, else: late) { [self, request] in try await follow(request) }
            trouble.withLock { $0 = nil }
            if head.status == 200 { return .file(body(of: transfer, head)) }
            let text = await transfer.finish()
            return reply(status: head.status, text)
        } catch {
            let failure = (error as? FetchFailure) ?? FetchFailure(message: "\(error)")
            if failure.isNoConnection || ContinuousClock.now - start >= Self.patience {
                trouble.withLock { $0 = (.now + Self.pause, failure.message) }
            }
            return .failed(failure.message, isTransient: failure.isTransient)
        }
    }

    /// Sends a request, and follows redirects. Secrets stay at the first host. Where strangers cause requests, other hosts must have
    /// public addresses, which is checked at each step.
    private func follow(_ first: TransferRequest) async throws -> (Transfer, ResponseHead) {
        var request = first
        for _ in 0...Self.maxRedirects {
            let transfer = transfers.start(request)
            let head = try await transfer.head()
            guard (300..<400).contains(head.status), let location = head.fields["location"],
                let target = Self.target(of: location, from: request.url)
            else { return (transfer, head) }
            _ = await transfer.finish()
            guard !(request.url.hasPrefix("https:") && target.hasPrefix("http:")) else {
                throw FetchFailure(message: "it leads to another place without encryption, which is not followed")
            }
            if PublicHost.authority(in: target) != PublicHost.authority(in: first.url) {
                (request.headers, request.signature, request.usesNetrc) = ([], nil, false)
                request.proxy = target.hasPrefix("https:") ? proxies.https : proxies.http
                request.address = nil
                if isGivenHostsOnly, let refusal = Self.check(&request, await Self.resolved { PublicHost(redirect: target) }) {
                    throw FetchFailure(message: "it leads to another place, which is not followed: \(refusal)")
                }
            } else {
                // Also on the way back from another host, whose address is not this one's.
                (request.proxy, request.address) = (first.proxy, first.address)
            }
            request.url = target
        }
        throw FetchFailure(message: "too many redirects")
    }

    /// The URL of a redirect: a whole one, or a path on the same host (RFC 9110, section 10.2.2).
    static func target(of location: String, from url: String) -> String? {
        guard location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else { return nil }
        if location.hasPrefix("http://") || location.hasPrefix("https://") { return location }
        guard let start = url.firstRange(of: "://") else { return nil }
        if location.hasPrefix("//") { return url[..<start.lowerBound] + ":" + location }
        guard location.hasPrefix("/") else { return nil }
        return url[..<start.upperBound] + url[start.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" } + location
    }

    /// The meaning of a status other than 200 (RFC 9110, section 15).
    /// - Parameter text: the beginning of the body.
    private func reply(status: Int, _ text: [UInt8]) -> ServerReply {
        let code = isBucket ? Self.errorCode(text) : nil
        return switch status {
        // A bucket that is not there is a mistake.
        case 404 where code != "NoSuchBucket", 410: .absent()
        // Amazon says so of a file that is not there to somebody who may not list the bucket (Amazon S3 API Reference, "GetObject").
        case 403 where isBucket && (code == nil || code == "AccessDenied"): .absent(note: "does not have it, or gives no access to it")
        case 429, 502, 503, 504: .failed("HTTP \(status)", isTransient: true)
        default: .failed("HTTP \(status)" + (code.map { " (\($0))" } ?? ""), isTransient: false)
        }
    }

    /// `SignatureDoesNotMatch` of `<Error><Code>SignatureDoesNotMatch</Code>…` (Amazon S3 API Reference, "Error Responses").
    static func errorCode(_ text: [UInt8]) -> String? {
        let text = String(decoding: text.prefix(4096), as: UTF8.self)
        guard let start = text.firstRange(of: "<Code>")?.upperBound, let end = text[start...].firstRange(of: "</Code>")?.lowerBound else {
            return nil
        }
        let code = text[start..<end]
        return !code.isEmpty && code.utf8.count <= 64 && code.allSatisfy { $0.isASCII && $0.isLetter } ? String(code) : nil
    }

    private func body(of transfer: Transfer, _ head: ResponseHead) -> FileBody {
        // A compressed transfer has another length than the file; debuginfod also sends the file's own.
        let length = head.fields["x-debuginfod-size"] ?? (head.fields["content-encoding"] == nil ? head.fields["content-length"] : nil)
        return FileBody(size: length.flatMap { Int($0) }, pieces: ResponseBody(transfer))
    }
}
