internal import BinaryPrimitives

/// Reply to a record: a line of JSON.
package struct StreamReply: Sendable {
    /// With its end.
    package var line: [UInt8]
    package var isError: Bool
    /// No process could be started for it.
    var isUnavailable = false

    /// The version of the schema: it grows within a version, and changes only with it.
    private static let schema = 1

    init(line: [UInt8], isError: Bool) {
        self.line = line
        self.isError = isError
    }

    package init(_ error: StreamError, of record: StreamRecord) {
        self.init(
            StreamKeys(record),
            [("error", .object([("kind", .string(error.kind.rawValue)), ("message", .string(PlainText.line(error.message)))]))],
            isError: true)
        isUnavailable = error.kind == .unavailable
    }

    /// - Parameter members: after the keys.
    init(_ keys: StreamKeys, _ members: [(key: String, value: WrittenJSON?)], isError: Bool = false) {
        line = Array("{\"schema\":\(Self.schema)".utf8)
        for (name, value) in keys.members {
            line += ",\"\(name)\":".utf8
            line += value
        }
        var rest: [UInt8] = []
        WrittenJSON.object(members).write(to: &rest)
        // Without its opening brace.
        if rest.count > 2 { line.append(UInt8(ascii: ",")) }
        line += rest.dropFirst()
        line.append(0x0A)
        self.isError = isError
    }
}
