internal import BinaryPrimitives
internal import CrashLogModel

/// The body of a request, read as JSON whatever its `Content-Type` says: browsers send
/// `text/plain`.
enum RequestedJSON {
    static func value(of request: Request, _ limits: Limits) throws(Refusal) -> JSONValue {
        let bytes = request.body.bytes
        let body = bytes.span
        guard let value = try? JSONParser(limits: limits).parse(body) else { throw Refusal("Payload is not valid JSON") }
        // A word is none, and nothing follows the value but white space.
        if case .other(let word) = value.content, Double(word) == nil { throw Refusal("Payload is not valid JSON") }
        for index in value.range.upperBound..<body.count where !isBlank(body[index]) && body[index] != 0x0A && body[index] != 0x0D {
            throw Refusal("Payload is not valid JSON")
        }
        return value
    }
}
