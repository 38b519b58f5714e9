internal import BinaryPrimitives

/// Whether the service runs, for those who keep it running: Dockerflow's paths (Eliot has them),
/// and those of Kubernetes' examples.
enum StatusPages {
    static let routes: [Route] =
        [
            // Symbolicator's.
            Route(path: "/healthcheck", method: "GET", isWork: false) { (_, _) throws(Refusal) in .text("ok") },
            Route(path: "/__version__", method: "GET", isWork: false) { (_, service) throws(Refusal) in
                .json(.object([("name", .string("cairn")), ("version", .string(service.settings.version))]))
            },
        ]
        // It runs, whatever it depends on.
        + ["/__lbheartbeat__", "/healthz"].map { path in
            Route(path: path, method: "GET", isWork: false) { (_, _) throws(Refusal) in .json(.object([("status", .string("ok"))])) }
        }
        // It can do its work.
        + ["/__heartbeat__", "/readyz"].map { path in
            Route(path: path, method: "GET", isWork: false) { (_, service) throws(Refusal) in
                guard service.isReady() else { throw Refusal("503 Service Unavailable", status: 503) }
                return .json(.object([("status", .string("ok"))]))
            }
        }
}
