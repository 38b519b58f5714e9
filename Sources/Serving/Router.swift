internal import BinaryPrimitives
internal import Symbolication

extension Service {
    /// Every protocol is a line.
    package static let routes: [Route] =
        StatusPages.routes
        + OpenAPI.routes
        + MozillaSymbolication.routes
        + SourceText.routes
        + SentrySymbolication.routes
        + SentryMinidump.routes
        + SentryAppleReport.routes
        + SentryElsewhere.routes
        + Debuginfod.routes
        + DebuginfodMetadata.routes
        + SymbolServerPaths.routes
        + LogSymbolication.routes
        + SymbolUpload.routes
        + TeckenUpload.routes
        + BreakpadUpload.routes
        + ChunkUpload.routes
        + LogPages.routes

    private static func routes(for path: String) -> [Route] {
        let fitting = routes.filter { $0.serves(path) }
        let own = fitting.filter { !$0.isGeneral }
        return own.isEmpty ? fitting : own
    }

    /// How a request is handled, as far as its head shows.
    package struct Plan: Sendable, Hashable {
        /// It is no more than a small response of this program itself: that it runs, that there is
        /// no such path.
        package var isWork: Bool
        /// Bytes of its body, at most.
        package var maxBodyBytes: Int
        package var needsToken: Bool
        /// Everybody may have it, also of a private server: whether it runs.
        package var isPublic = false
        /// Its result may be fetched later.
        package var canWait: Bool
    }

    /// The path of the route that serves it, of which there are few; `other` where none does.
    package func routeName(of request: Request) -> String { Self.routes(for: request.path).first?.path ?? "other" }

    /// - Parameter request: without its body.
    package func plan(for request: Request) -> Plan {
        guard let route = route(of: request, Self.routes(for: request.path)) else {
            return Plan(isWork: false, maxBodyBytes: 0, needsToken: false, canWait: false)
        }
        return Plan(
            isWork: route.isWork, maxBodyBytes: maxBodyBytes(of: route), needsToken: route.needsToken, isPublic: route.isPublic,
            canWait: route.canWait)
    }

    private func maxBodyBytes(of route: Route) -> Int { route.maxBodyBytes ?? settings.maxBodyBytes }

    private func route(of request: Request, _ fitting: [Route]) -> Route? {
        fitting.first { $0.method == request.method || ($0.method == "GET" && request.method == "HEAD") }
    }

    /// Response that refuses a request, in the format of the path's protocol.
    package func refuse(_ request: Request, _ message: String, status: Int) -> Response {
        let fitting = Self.routes(for: request.path)
        return finished((fitting.first?.errors ?? .json).response(Refusal(message, status: status)), for: request, fitting)
    }

    package func respond(to request: Request) -> Response {
        let fitting = Self.routes(for: request.path)
        let counted = CountedSymbols(symbolicator.provider)
        var response = finished(using(counted).response(to: request, fitting), for: request, fitting)
        response.facts = counted.facts
        return response
    }

    private func finished(_ response: Response, for request: Request, _ fitting: [Route]) -> Response {
        var response = response
        if let readers = fitting.first.flatMap({ allowedOrigin(request, $0.readers) }) {
            response.headers.append(("Access-Control-Allow-Origin", readers))
            if readers != "*" { response.headers.append(("Vary", "Origin")) }
        }
        response.headers.append(("X-Content-Type-Options", "nosniff"))
        response.headers.append(("Content-Length", "\(response.body.count)"))
        // The same headers, without the body (RFC 9110, section 9.3.2).
        if request.method == "HEAD" { response.body = .bytes([]) }
        return response
    }

    private func response(to request: Request, _ fitting: [Route]) -> Response {
        guard let first = fitting.first else { return Route.ErrorShape.json.response(Refusal("404 Not Found", status: 404)) }
        if request.method == "OPTIONS", first.readers != .none { return preflight(fitting) }
        guard let route = route(of: request, fitting) else {
            var refused = first.errors.response(Refusal("405 Method Not Allowed", status: 405))
            refused.headers.append(("Allow", methods(of: fitting)))
            return refused
        }
        do throws(Refusal) {
            guard request.body.count <= maxBodyBytes(of: route) else {
                throw Refusal("please limit the size of a request to <= \(maxBodyBytes(of: route)) bytes", status: 413)
            }
            guard !route.changes || mayChange(request) else {
                throw Refusal("403 Forbidden: the page that sends this is not the server's (--host-name)", status: 403)
            }
            return try route.handler(request, self)
        } catch {
            return route.errors.response(error)
        }
    }

    private func methods(of routes: [Route]) -> String {
        routes.map { $0.method == "GET" ? "GET, HEAD" : $0.method }.joined(separator: ", ")
    }

    /// Response to the preflight request that a browser sends before another page's request, worded
    /// as Eliot does.
    private func preflight(_ routes: [Route]) -> Response {
        Response(
            200,
            headers: [
                ("Access-Control-Allow-Methods", methods(of: routes)), ("Access-Control-Allow-Headers", "*"),
                ("Access-Control-Max-Age", "86400"),
            ])
    }

    /// Whether a request that changes something comes from the server's own pages, or from no browser (`Origin`; RFC 6454, section 7).
    private func mayChange(_ request: Request) -> Bool {
        guard let origin = request.header("Origin") else { return true }
        guard let host = origin.firstRange(of: "://").map({ origin[$0.upperBound...].lowercased() }) else { return false }
        // A reverse proxy may replace `Host`.
        return host == request.header("Host")?.lowercased() || settings.hostNames.wasGiven(host)
    }

    private func allowedOrigin(_ request: Request, _ readers: Route.Readers) -> String? {
        switch readers {
        case .none: nil
        case .all: "*"
        case .listed: request.header("Origin").flatMap { settings.origins.contains($0) ? $0 : nil }
        }
    }
}
