internal import BinaryPrimitives

/// Whether the service runs, for those who keep it running: Dockerflow's paths (Eliot has them),
/// and those of Kubernetes' examples.
enum StatusPages {
    static let routes: [Route] =
        [
            // Symbolicator's.
            route("/healthcheck", "The service runs.", .bytes("text/plain")) { _ throws(Refusal) in .text("ok") },
            route("/__version__", "Which version of the service runs.", .json("Version")) { service throws(Refusal) in
                .json(.object([("name", .string("cairn")), ("version", .string(service.settings.version))]))
            },
        ]
        // It runs, whatever it depends on.
        + ["/__lbheartbeat__", "/healthz"].map { path in
            route(path, "The service runs.", .json("Status")) { _ throws(Refusal) in .json(.object([("status", .string("ok"))])) }
        }
        // It can do its work.
        + ["/__heartbeat__", "/readyz"].map { path in
            route(path, "The service takes requests.", .json("Status"), refusals: [503]) { service throws(Refusal) in
                guard service.isReady() else { throw Refusal("503 Service Unavailable", status: 503) }
                return .json(.object([("status", .string("ok"))]))
            }
        }

    static let schemas = [
        ("Status", #"{"type":"object","required":["status"],"properties":{"status":{"const":"ok"}}}"#),
        (
            "Version",
            #"{"type":"object","required":["name","version"],"properties":{"name":{"const":"cairn"},"version":{"type":"string"}}}"#
        ),
    ]

    private static func route(
        _ path: String, _ summary: String, _ result: RouteDescription.Content, refusals: [Int] = [],
        _ response: @escaping @Sendable (Service) throws(Refusal) -> Response
    ) -> Route {
        let description = RouteDescription(path: path, summary: summary, results: [200: [result]], refusals: refusals)
        return Route(path: path, method: "GET", isPublic: true, isWork: false, descriptions: [description]) {
            (_, service) throws(Refusal) in
            try response(service)
        }
    }
}
