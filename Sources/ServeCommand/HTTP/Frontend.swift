#if Service
    internal import BinaryPrimitives
    internal import Logging
    internal import NIOCore
    internal import NIOHTTP1
    internal import Serving

    /// Handles a request from its head to the end of its response.
    ///
    /// This process reads no symbol file and no log: it takes bodies in, hands them to the engine,
    /// and sends what comes back.
    struct Frontend: Sendable {
        let state: ServerState
        let pool: EnginePool
        let pending: PendingResults
        let metrics: Metrics
        let budget: SpoolBudget
        let uploads: UploadRate
        let accessLog: AccessLog?
        let logger: Logger

        /// Responds to a request.
        /// - Returns: whether the connection may have another one.
        func handle(_ head: HTTPRequestHead, _ connection: inout Connection) async throws -> Bool {
            let begin = ContinuousClock.now
            metrics.begin()
            let target = Self.Target(head.uri)
            var request = Request(head.method.rawValue, target.path, headers: head.headers.map { ($0.name, $0.value) })
            let route = state.service.routeName(of: request)
            // 499, as nginx has it: the client left before it had a response.
            var (status, count) = (499, 0)
            var facts = RequestFacts()
            var holder: String?
            defer {
                let seconds = (ContinuousClock.now - begin) / .seconds(1)
                metrics.end(route: route, status: status, seconds: seconds, received: request.body.count, sent: count, facts)
                if case .file(let file) = request.body { budget.release(file.size) }
                accessLog?.append(
                    AccessLog.Entry(
                        client: connection.client, token: holder, method: request.method, route: route, path: request.path, status: status,
                        seconds: seconds, received: request.body.count, sent: count, agent: request.header("User-Agent"), facts: facts))
                logger.info(
                    "request",
                    metadata: [
                        "method": "\(request.method)", "path": "\(PlainText.line(request.path))", "status": "\(status)",
                        "ms": "\(Int(seconds * 1000))", "received": "\(request.body.count)", "sent": "\(count)",
                    ])
            }
            let sent: SentResponse
            do {
                let response = try await response(to: &request, at: target.host ?? request.header("Host"), &connection, &holder)
                sent = SentResponse(response, for: request, head, isLast: state.isStopping)
            } catch let refused as RefusedBody {
                // The rest of the body is not waited for.
                sent = SentResponse(refused.response, for: request, head, isLast: true)
            }
            (status, count, facts) = (sent.response.status, sent.response.body.count, sent.response.facts)
            try await sent.send(&connection)
            return !sent.isLast
        }

        /// A request's target. Clients of a proxy send an absolute URL; its host replaces the `Host` header (RFC 9112, section 3.2.2).
        struct Target {
            /// With the query.
            var path: String
            var host: String?

            init(_ uri: String) {
                let lowercase = uri.lowercased()
                guard let scheme = ["http://", "https://"].first(where: { lowercase.hasPrefix($0) }) else {
                    path = uri
                    return
                }
                let rest = uri.utf8.dropFirst(scheme.utf8.count)
                let path = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
                host = String(Substring(rest[..<path.startIndex]))
                self.path = (path.first == UInt8(ascii: "/") ? "" : "/") + String(Substring(path))
            }
        }

        /// A refusal before the whole body was read.
        private struct RefusedBody: Error { var response: Response }

        /// - Parameters:
        ///   - host: of the URL or the `Host` header.
        ///   - holder: receives whose token the request has.
        private func response(
            to request: inout Request, at host: String?, _ connection: inout Connection, _ holder: inout String?
        ) async throws -> Response {
            let service = state.service
            guard service.settings.hostNames.contains(host) else {
                throw RefusedBody(
                    response: refusal(
                        of: request, "421 Misdirected Request: this name is not the server's (--host-name)", 421, retryAfter: nil))
            }
            let plan = service.plan(for: request)
            func refuse(_ message: String, _ status: Int, retryAfter: Int? = nil) -> RefusedBody {
                RefusedBody(response: refusal(of: request, message, status, retryAfter: retryAfter))
            }
            let right = neededRight(for: request, plan)
            if let right {
                let found = state.holder(request.token)
                holder = found?.name
                guard let found else {
                    var refused = refuse("401 Unauthorized: expected Authorization: Bearer TOKEN", 401)
                    // Browsers ask people for a password, which is the token.
                    refused.response.headers.append(("WWW-Authenticate", right == .upload ? "Bearer" : "Basic realm=\"cairn\""))
                    throw refused
                }
                guard found.rights.contains(right) else {
                    throw refuse("403 Forbidden: the token has no right to \(right == .admin ? "see figures" : right.rawValue)", 403)
                }
            }
            if let response = await own(request) { return response }
            guard plan.isWork else {
                let response = service.respond(to: request)
                if hasBody(request) { throw RefusedBody(response: response) }
                return response
            }
            let client = holder ?? connection.client
            if let holder, plan.needsToken, let seconds = uploads.wait(for: holder) {
                throw refuse("429 Too Many Requests", 429, retryAfter: seconds)
            }
            let tooLarge = "please limit the size of a request to <= \(plan.maxBodyBytes) bytes"
            if let length = request.header("Content-Length").flatMap({ Int($0) }), length > plan.maxBodyBytes {
                throw refuse(tooLarge, 413)
            }
            guard pool.hasRoom(for: client) else { throw refuse("503 Service Unavailable: too many requests wait", 503, retryAfter: 1) }
            if request.header("Expect")?.lowercased() == "100-continue" {
                try await connection.writeContinue()
            }
            do {
                var incoming = ReceivedBody(atMost: plan.maxBodyBytes, budget)
                while let piece = try await connection.nextPiece() { try incoming.append(piece) }
                request.body = try incoming.finish()
            } catch let problem as BodyProblem {
                switch problem {
                case .tooLarge: throw refuse(tooLarge, 413)
                case .noRoom: throw refuse("503 Service Unavailable: other requests take all the room", 503, retryAfter: 5)
                case .disk(let error):
                    logger.error("a request cannot be kept", metadata: ["problem": "\(error)"])
                    throw refuse("507 Insufficient Storage", 507)
                }
            }
            if let holder, plan.needsToken { logger.notice("upload", metadata: ["token": "\(holder)", "bytes": "\(request.body.count)"]) }
            if plan.canWait, let time = Self.timeout(of: request) { return await later(request, time, client) }
            return await work(request, client)
        }

        /// The right that a request needs; `nil`: none.
        private func neededRight(for request: Request, _ plan: Service.Plan) -> UploadTokens.Right? {
            if plan.needsToken { return .upload }
            // A browser asks without a token whether a page may send a request ("Fetch", CORS preflight).
            guard state.isPrivate, !plan.isPublic, request.method != "OPTIONS" else { return nil }
            return request.path == "/metrics" ? .admin : .read
        }

        /// Response to a request that is about this process instead of the service: its figures,
        /// and results that are fetched later.
        private func own(_ request: Request) async -> Response? {
            let isRead = request.method == "GET" || request.method == "HEAD"
            if isRead, request.path == "/metrics" {
                let text = metrics.text(
                    pool.figures, version: state.service.settings.version, pending: pending.count, spooled: budget.bytes)
                return Response(
                    200, headers: [("Content-Type", "text/plain; version=0.0.4; charset=utf-8"), ("Content-Length", "\(text.utf8.count)")],
                    body: .bytes(request.method == "HEAD" ? [] : Array(text.utf8)))
            }
            if isRead, request.path.hasPrefix("/requests/") {
                let id = String(request.path.dropFirst("/requests/".utf8.count))
                return response(await pending.result(of: id, within: Self.timeout(of: request)), id)
            }
            return nil
        }

        private func refusal(of request: Request, _ message: String, _ status: Int, retryAfter: Int?) -> Response {
            var response = state.service.refuse(request, message, status: status)
            if let retryAfter { response.headers.append(("Retry-After", "\(retryAfter)")) }
            return response
        }

        private func hasBody(_ request: Request) -> Bool {
            request.header("Content-Length").map { $0 != "0" } ?? (request.header("Transfer-Encoding") != nil)
        }

        /// - Parameter client: whose turn it is: a token's holder, else an address.
        private func work(_ request: Request, _ client: String) async -> Response {
            func refuse(_ message: String, _ status: Int, retryAfter: Int? = nil) -> Response {
                refusal(of: request, message, status, retryAfter: retryAfter)
            }
            let path = PlainText.line(request.path)
            switch await pool.respond(to: request, from: client) {
            case .response(let response): return response
            case .overloaded: return refuse("503 Service Unavailable: too many requests wait", 503, retryAfter: 2)
            case .displaced:
                return refuse("429 Too Many Requests: others wait, and this client has most requests", 429, retryAfter: 2)
            case .late:
                logger.warning("a request took longer than it may", metadata: ["path": "\(path)"])
                return refuse("503 Service Unavailable: this took longer than \(state.timeLimit.components.seconds) s", 503, retryAfter: 60)
            case .crashed:
                logger.error("a request made the engine end", metadata: ["path": "\(path)"])
                return refuse("500 Internal Server Error: reading this, or symbol files for it, ended the program that does so", 500)
            case .unavailable(let error):
                logger.error("no engine", metadata: ["problem": "\(error)"])
                return refuse("503 Service Unavailable", 503, retryAfter: 5)
            }
        }

        /// Symbolicator's `?timeout=5`: seconds.
        private static func timeout(of request: Request) -> Duration? {
            for part in request.query.split(separator: "&") where part.hasPrefix("timeout=") {
                if let seconds = Int(part.dropFirst("timeout=".utf8.count)), seconds >= 0 { return .seconds(min(seconds, 3600)) }
            }
            return nil
        }

        private func later(_ request: Request, _ time: Duration, _ client: String) async -> Response {
            // The body's room is given back when the work is done, not when the first response is
            // sent.
            let body = request.body
            if case .file(let file) = body { budget.hold(file.size) }
            let id = pending.begin { [self] in
                defer { if case .file(let file) = body { budget.release(file.size) } }
                return await work(request, client)
            }
            guard let id else {
                if case .file(let file) = body { budget.release(file.size) }
                return refusal(of: request, "503 Service Unavailable: too many requests", 503, retryAfter: 5)
            }
            return response(await pending.result(of: id, within: time), id)
        }

        private func response(_ result: PendingResults.Result, _ id: String) -> Response {
            switch result {
            case .done(let response): return response
            case .unknown: return Response(404, headers: [("Content-Length", "0")])
            case .pending:
                let text = "{\"status\":\"pending\",\"request_id\":\"\(id)\",\"retry_after\":30}"
                return Response(
                    200, headers: [("Content-Type", "application/json"), ("Content-Length", "\(text.utf8.count)")],
                    body: .bytes(Array(text.utf8)))
            }
        }
    }
#endif
