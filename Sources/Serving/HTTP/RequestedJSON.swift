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
    static func value(of bytes: [UInt8], _ limits: Limits) -> JSONValue? {
        let body = bytes.span
        guard String(validating: bytes, as: UTF8.self) != nil, let value = try? JSONParser(limits: limits).parse(body),
            JSONGrammar.allows(body)
        else { return nil }
        for index in value.range.upperBound..<body.count where !isBlank(body[index]) && body[index] != 0x0A && body[index] != 0x0D {
            return nil
        }
        return value
    }
}
