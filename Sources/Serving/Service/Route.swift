internal import BinaryPrimitives

/// A handler for one path of one protocol.
package struct Route: Sendable {
    /// How a protocol words an error.
    enum ErrorShape: Sendable {
        /// `{"error":"…","title":"…"}`: Eliot's clients read `title`, the Firefox Profiler `error`.
        case json
        /// `{"detail":"…","causes":[]}`: Symbolicator.
        case detail
        /// The words alone: debuginfod.
        case text
        /// Made by a function of the route: a page.
        case made(@Sendable (Refusal) -> Response)

        func response(_ refusal: Refusal) -> Response {
            switch self {
            case .json: .json(.object([("error", .string(refusal.message)), ("title", .string(refusal.message))]), status: refusal.status)
            case .detail: .json(.object([("detail", .string(refusal.message)), ("causes", .array([]))]), status: refusal.status)
            case .text: .text(refusal.message, status: refusal.status)
            case .made(let make): make(refusal)
            }
        }
    }

    /// Which web pages may read the response (CORS).
    enum Readers: Sendable {
        /// Pages of no other server.
        case none
        /// All origins, as with Eliot: names of functions, for every client that has the address.
        case all
        /// Those that the settings name (`Service.Settings.origins`): the text of source files.
        case listed
    }

    /// A whole path, what paths begin with where it ends with a slash (`/buildid/`), or a path with parts of any text: `/v1/uploads/{key}`.
    package var path: String
    /// `GET` means `HEAD`, too.
    var method: String
    var errors = ErrorShape.json
    var readers = Readers.none
    /// Bytes of a body, at most; `nil`: as many as the settings allow
    /// (`Service.Settings.maxBodyBytes`).
    var maxBodyBytes: Int?
    /// The client must have a token (`Authorization: Bearer TOKEN`).
    var needsToken = false
    /// No token is needed for it, also of a private server.
    var isPublic = false
    /// The request changes state. From a browser it is accepted only if the server's own page sends it.
    var changes = false
    /// It reads symbol files, or a body that somebody sent. A server has a process of its own for
    /// such work (`Service.plan(for:)`).
    var isWork = true
    /// Its result may be fetched later (Symbolicator's `?timeout=`, `/requests/ID`).
    var canWait = false
    /// Descriptions of the route for `GET /openapi.json`, one for each form of the path.
    package var descriptions: [RouteDescription] = []
    var handler: @Sendable (Request, Service) throws(Refusal) -> Response

    package func serves(_ path: String) -> Bool {
        if self.path.contains("{") { return parts(of: path) != nil }
        return path == self.path
            || (self.path.utf8.last == UInt8(ascii: "/") && self.path != "/" && path.utf8.starts(with: self.path.utf8))
    }

    /// The texts that a path has for the parts in braces, as they were sent; a part may end in a fixed text (`{key}:complete`).
    /// - Returns: `nil` for another path.
    func parts(of path: String) -> [String]? {
        let wanted = self.path.split(separator: "/", omittingEmptySubsequences: false)
        let given = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == given.count else { return nil }
        var parts: [String] = []
        for (wanted, given) in zip(wanted, given) {
            guard let brace = wanted.firstIndex(of: "}") else {
                if wanted != given { return nil }
                continue
            }
            let ending = wanted[wanted.index(after: brace)...]
            guard given.hasSuffix(ending), given.utf8.count > ending.utf8.count else { return nil }
            let part = given.dropLast(ending.count)
            // What follows a colon is a verb (`:complete`), never part of a name.
            guard !part.utf8.contains(UInt8(ascii: ":")) else { return nil }
            parts.append(String(part))
        }
        return parts
    }

    /// Whether it serves any path of so many parts. Such a route is for paths that no other route serves.
    var isGeneral: Bool { path.hasPrefix("/{") }
}
