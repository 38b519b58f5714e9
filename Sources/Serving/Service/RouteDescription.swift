/// Entry of the OpenAPI document for a path (`GET /openapi.json`). A route that serves everything
/// below a path has one for each form of it.
package struct RouteDescription: Sendable {
    /// `/buildid/{id}/debuginfo`
    package var path: String
    /// One sentence.
    var summary: String
    /// Parameters of the path, in its order, then others.
    var parameters: [Parameter] = []
    /// Possible contents of a request's body; empty: there is no body.
    var body: [Content] = []
    /// Possible contents of a response that brings the requested data, by its status.
    var results: [Int: [Content]]
    /// Statuses of refusals, in the shape of the route (`Route.ErrorShape`), beside those that
    /// follow from the route: 401 with a token, 413 with a body, 503 where the server works.
    var refusals: [Int] = []

    struct Parameter: Sendable {
        enum Location: String, Sendable { case path, query, header }

        var name: String
        var location = Location.path
        /// A JSON Schema, as text; `nil`: any text, of a path not an empty one.
        var schema: String?
        /// Parameters of a path always are.
        var isRequired = false

        var shownSchema: String { schema ?? (location == .path ? #"{"type":"string","minLength":1}"# : #"{"type":"string"}"#) }
    }

    enum Content: Sendable {
        /// JSON by the name of its schema (`OpenAPI.schemas`).
        case json(String)
        /// A form, likewise.
        case form(String)
        /// `text/plain`, `application/octet-stream`, `text/html`.
        case bytes(String)

        var type: String {
            switch self {
            case .json: "application/json"
            case .form: "multipart/form-data"
            case .bytes(let type): type
            }
        }

        /// A JSON Schema, as text.
        var schema: String {
            switch self {
            case .json(let name), .form(let name): "{\"$ref\":\"#/components/schemas/\(name)\"}"
            case .bytes: #"{"type":"string"}"#
            }
        }
    }

    /// A file, or a part of it.
    static let file: [Int: [Content]] = [200: [.bytes("application/octet-stream")], 206: [.bytes("application/octet-stream")]]
}
