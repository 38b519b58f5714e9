internal import BinaryPrimitives
internal import CrashLogModel

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
