package import BinaryPrimitives
internal import CrashLogModel

/// A request of HTTP, as a value: a server has read it from a connection, or a test has made it.
package struct Request: Sendable {
    /// `GET`, in upper case.
    package var method: String
    /// The target's path as it was sent: percent-encoded, without the query.
    package var path: String
    /// Query: the text after the target's first `?`; empty without one.
    package var query: String
    package var headers: [(name: String, value: String)]
    package var body: Body

    /// Body of a request: a few bytes, or a file of any size, which a server has written as the
    /// bytes came.
    package enum Body: Sendable {
        case bytes([UInt8])
        case file(MappedFile)

        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(let file): file.size
            }
        }

        /// Gives all bytes to `body`; those of a file through its mapping.
        package func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
            switch self {
            case .bytes(let bytes):
                let span = bytes.span
                return try body(span.rawBytes)
            case .file(let file): return try file.withBytes(body)
            }
        }

        /// A copy of all bytes, of which a route has few (`Route.maxBodyBytes`).
        package var bytes: [UInt8] {
            switch self {
            case .bytes(let bytes): bytes
            case .file(let file): file.bytes(in: 0..<file.size)
            }
        }

        /// The bytes as a file, whichever they are.
        package func file() throws(FileError) -> MappedFile {
            switch self {
            case .bytes(let bytes): try MappedFile(bytes: bytes.span.rawBytes, name: "the request")
            case .file(let file): file
            }
        }
    }

    /// - Parameter target: `/buildid/8acb…/debuginfo?a=b`.
    package init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.init(method, target, headers: headers, body: .bytes(body))
    }

    package init(_ method: String, _ target: String, headers: [(name: String, value: String)] = [], body: Body) {
        self.method = method
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.utf8.endIndex
        path = String(target[..<mark])
        query = String(target[mark...].dropFirst())
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name, in whichever case it is written.
    package func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// The token that a client shows: `Authorization: Bearer TOKEN`, or the password of `Basic`, which browsers and URLs have (RFC 7617); Tecken's `Auth-Token: TOKEN`, or `?key=TOKEN` of Breakpad's `symupload`.
    package var token: String? {
        if let header = header("Authorization") {
            let parts = header.split(separator: " ")
            guard parts.count == 2 else { return nil }
            switch parts[0].lowercased() {
            case "bearer": return String(parts[1])
            case "basic":
                guard let pair = Base64.decoded(Array(parts[1].utf8).span, isStrict: true),
                    let colon = pair.firstIndex(of: UInt8(ascii: ":"))
                else { return nil }
                return String(validating: pair[(colon + 1)...], as: UTF8.self)
            default: return nil
            }
        }
        return header("Auth-Token") ?? parameter("key")
    }

    /// The value of a parameter of the query, `name=value&…`, without its escapes; empty where they
    /// are malformed.
    func parameter(_ name: String) -> String? {
        for part in query.split(separator: "&") where part.hasPrefix(name + "=") {
            return PercentCoding.decoded(part.dropFirst(name.utf8.count + 1).replacing("+", with: " ")) ?? ""
        }
        return nil
    }
}

/// The body of a request, read as JSON whatever its `Content-Type` says: browsers send
/// `text/plain`.
enum RequestedJSON {
    static func value(of request: Request, _ limits: Limits) throws(Refusal) -> JSONValue {
        guard let value = value(of: request.body.bytes, limits) else { throw Refusal("Payload is not valid JSON") }
        return value
    }

    /// - Returns: `nil` where the bytes are no one JSON document (RFC 8259).
    static func value(of bytes: [UInt8], _ limits: Limits) -> JSONValue? { try? JSONGrammar.document(bytes.span, limits: limits) }
}
