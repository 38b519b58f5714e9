internal import BinaryPrimitives

/// The service in the words of OpenAPI 3.1 (spec.openapis.org/oas/v3.1.0), made of the routes: for
/// people who write clients, and for programs that try a service out.
enum OpenAPI {
    static let routes = [
        Route(
            path: "/openapi.json", method: "GET", isWork: false,
            descriptions: [RouteDescription(path: "/openapi.json", summary: "This document.", results: [200: [.json("Document")]])]
        ) { (_, service) throws(Refusal) in
            .json(document(Service.routes, version: service.settings.version))
        }
    ]

    /// Schemas by their names, as text.
    private static let schemas: [(name: String, text: String)] =
        [
            ("Document", #"{"type":"object","required":["openapi","info","paths"]}"#),
            (
                "Error",
                #"{"type":"object","required":["error","title"],"properties":{"error":{"type":"string"},"title":{"type":"string"}}}"#
            ),
            (
                "Detail",
                #"{"type":"object","required":["detail","causes"],"properties":{"detail":{"type":"string"},"causes":{"type":"array"}}}"#
            ),
        ] + StatusPages.schemas + MozillaSchemas.all + SentrySchemas.all + OwnSchemas.all + TeckenUpload.schemas + BreakpadUpload.schemas
        + ChunkUpload.schemas

    private static func document(_ routes: [Route], version: String) -> [UInt8] {
        var paths: [(path: String, operations: [String])] = []
        for route in routes {
            for description in route.descriptions {
                let methods = route.method == "GET" ? ["get", "head"] : [route.method.lowercased()]
                let operations = methods.map { "\(quoted($0)):\(operation(description, of: route, isHead: $0 == "head"))" }
                if let index = paths.firstIndex(where: { $0.path == description.path }) {
                    paths[index].operations += operations
                } else {
                    paths.append((description.path, operations))
                }
            }
        }
        let summary = "Symbolication of crashes, in the protocols of other servers"
        let info = object([("title", quoted("cairn")), ("summary", quoted(summary)), ("version", quoted(version))])
        return Array(
            object([
                ("openapi", quoted("3.1.0")), ("info", info),
                ("paths", object(paths.map { ($0.path, "{" + $0.operations.joined(separator: ",") + "}") })),
                (
                    "components",
                    object([
                        ("schemas", object(schemas.map { ($0.name, $0.text) })),
                        ("securitySchemes", #"{"token":{"type":"http","scheme":"bearer"}}"#),
                    ])
                ),
            ]).utf8)
    }

    /// - Parameter isHead: a response has no content.
    private static func operation(_ description: RouteDescription, of route: Route, isHead: Bool) -> String {
        var responses: [(Int, String)] = description.results.sorted { $0.key < $1.key }.map { status, contents in
            (status, response("The result.", isHead ? [] : contents))
        }
        var refusals = description.refusals
        if route.needsToken { refusals.append(401) }
        if !description.body.isEmpty { refusals.append(413) }
        if route.isWork { refusals.append(503) }
        let error: RouteDescription.Content =
            switch route.errors {
            case .json: .json("Error")
            case .detail: .json("Detail")
            case .text: .bytes("text/plain")
            case .made: .bytes("text/html")
            }
        for status in Set(refusals).sorted() where description.results[status] == nil {
            // A response to a range that is outside the file says nothing but the size.
            responses.append((status, response(reason(status), isHead || status == 416 ? [] : [error])))
        }
        var members = [("summary", quoted(description.summary))]
        if !description.parameters.isEmpty {
            members.append(("parameters", "[" + description.parameters.map(parameter).joined(separator: ",") + "]"))
        }
        if !description.body.isEmpty {
            members.append(("requestBody", object([("required", "true"), ("content", contents(description.body))])))
        }
        members.append(("responses", object(responses.sorted { $0.0 < $1.0 }.map { ("\($0.0)", $0.1) })))
        if route.needsToken { members.append(("security", #"[{"token":[]}]"#)) }
        return object(members)
    }

    private static func parameter(_ parameter: RouteDescription.Parameter) -> String {
        object([
            ("name", quoted(parameter.name)), ("in", quoted(parameter.location.rawValue)),
            ("required", parameter.location == .path || parameter.isRequired ? "true" : "false"), ("schema", parameter.shownSchema),
        ])
    }

    private static func response(_ description: String, _ contents: [RouteDescription.Content]) -> String {
        let members = [("description", quoted(description))]
        return object(contents.isEmpty ? members : members + [("content", self.contents(contents))])
    }

    private static func contents(_ contents: [RouteDescription.Content]) -> String {
        object(contents.map { ($0.type, object([("schema", $0.schema)])) })
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 400: "The request is malformed."
        case 401: "The token is missing or wrong."
        case 403: "It must not be read."
        case 404: "It is not there."
        case 406: "It is larger than the client takes."
        case 409: "Another file is there, and stays."
        case 413: "The request or its result is too large."
        case 415: "The body’s type is another one."
        case 416: "The range is outside of the file."
        case 422: "The body has another shape."
        case 503: "The server is busy, or about to stop."
        case 507: "The disk is full."
        default: "The request is refused."
        }
    }

    // MARK: Text

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        WrittenJSON.string(text).write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// - Parameter members: keys, and values that are JSON already.
    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
    }
}
