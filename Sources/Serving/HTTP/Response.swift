package import BinaryPrimitives

/// A response of HTTP, as a value.
package struct Response: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A part of a file that is open. The server reads it piece by piece
        /// (`MappedFile.bytes(in:)`): a debug file may have gigabytes.
        case file(MappedFile, Range<Int>)

        package var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, let range): range.count
            }
        }
    }

    package var status: Int
    package var headers: [(name: String, value: String)]
    package var body: Body
    /// The symbol files that the request needed, for the log and the figures.
    package var facts = RequestFacts()

    package init(_ status: Int, headers: [(name: String, value: String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The value of the first header of that name.
    package func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    static func json(_ value: WrittenJSON, status: Int = 200) -> Response {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return json(bytes, status: status)
    }

    static func json(_ bytes: [UInt8], status: Int = 200) -> Response {
        Response(status, headers: [("Content-Type", "application/json")], body: .bytes(bytes))
    }

    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status, headers: [("Content-Type", "text/plain; charset=utf-8")], body: .bytes(Array(text.utf8)))
    }
}

/// Reason why a request has no result: a status, and a message for the client.
struct Refusal: Error, Hashable {
    var status: Int
    var message: String

    init(_ message: String, status: Int = 400) {
        self.status = status
        self.message = message
    }
}
