internal import BinaryPrimitives
internal import CrashLogModel

/// A record that was read: a log, and what it is known by.
package struct StreamRequest: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        case path(String)
    }

    /// JSON as the record has it, which is copied into the output.
    package private(set) var keys: StreamKeys
    private(set) var content: Content

    package init(_ record: StreamRecord) throws(StreamError) {
        switch record {
        case .pair(_, let log): (keys, content) = (StreamKeys(record), .bytes(log))
        case .line(let line): (keys, content) = try Self.read(line)
        case .refused(_, let error): throw error
        }
    }

    /// A record of JSON has few values: nobody's log is in more than one.
    private static let limits: Limits = {
        var limits = Limits.standard
        limits.jsonDepth = 64
        limits.jsonValues = 10_000
        return limits
    }()

    private static func read(_ line: [UInt8]) throws(StreamError) -> (StreamKeys, Content) {
        let record: JSONValue
        do throws(LogError) { record = try JSONGrammar.document(line.span, limits: limits) } catch {
            let isEmpty = line.allSatisfy { isBlank($0) || $0 == 0x0D }
            throw StreamError(.input, isEmpty ? "the line is empty: expected a JSON object" : error.description)
        }
        guard record.isObject else { throw StreamError(.input, "expected a JSON object") }
        let values = ["log", "path", "bytes"].compactMap { record.member($0) }
        guard values.count == 1, let (name, value) = values.first.map({ ($0.key, $0.value) }) else {
            throw StreamError(.input, "expected one of \"log\" (text), \"path\" (of a file) and \"bytes\" (base64)")
        }
        let keys = StreamKeys(record, in: line.span)
        guard let text = value.string else { throw StreamError(.input, "\"\(name)\": expected a string") }
        switch name {
        case "log": return (keys, .bytes(Array(text.utf8)))
        case "path":
            guard !text.isEmpty, !text.utf8.contains(0), text != "-" else {
                throw StreamError(.input, "\"path\": expected the path of a file")
            }
            return (keys, .path(text))
        default:
            let letters = Array(text.utf8)
            guard let bytes = Base64.decoded(letters.span, isStrict: true) else {
                throw StreamError(.input, "\"bytes\": expected base64 (RFC 4648)")
            }
            return (keys, .bytes(bytes))
        }
    }
}

/// Members of a record that its reply has, too: what identifies it (`key`, `id`), and columns of the pipeline's own (`columns`).
package struct StreamKeys: Sendable {
    /// JSON: each value as the record has it.
    package private(set) var members: [(name: String, value: [UInt8])] = []

    private static let names = ["key", "id", "columns"]

    /// - Parameter line: that the record was read from.
    init(_ record: JSONValue, in line: Span<UInt8>) {
        for name in Self.names { if let value = record[name] { add(name, line.clamped(to: value.range)) } }
    }

    /// Also for a record that cannot be read, if its keys come before the error.
    package init(_ record: StreamRecord) {
        switch record {
        case .refused(let record, _): self = StreamKeys(record)
        case .pair(let key, _):
            // Bytes that are no UTF-8 become U+FFFD.
            members = [("key", Array(JSONString.quoted(String(decoding: key, as: UTF8.self)).utf8))]
        case .line(let line): read(line.span)
        }
    }

    private mutating func add(_ name: String, _ value: Span<UInt8>) {
        guard !members.contains(where: { $0.name == name }) else { return }
        // A carriage return between values ends a line for some readers.
        members.append((name, value.copied().map { $0 == 0x0D ? 0x20 : $0 }))
    }

    /// Member by member, up to the first that is wrong.
    private mutating func read(_ line: Span<UInt8>) {
        var position = Self.next(line, 0)
        guard line.at(position) == UInt8(ascii: "{") else { return }
        repeat {
            position = Self.next(line, position + 1)
            guard line.at(position) == UInt8(ascii: "\""), let key = try? JSONParser().parse(line, from: position) else { return }
            position = Self.next(line, key.range.upperBound)
            guard line.at(position) == UInt8(ascii: ":") else { return }
            position = Self.next(line, position + 1)
            guard let value = try? JSONParser().parse(line, from: position) else { return }
            position = Self.next(line, value.range.upperBound)
            // Broken bytes, or what only looks like JSON, is not copied.
            if let name = key.string, Self.names.contains(name), (try? JSONGrammar.document(line.clamped(to: value.range))) != nil {
                add(name, line.clamped(to: value.range))
            }
        } while line.at(position) == UInt8(ascii: ",")
    }

    /// Past white space.
    private static func next(_ line: Span<UInt8>, _ position: Int) -> Int {
        var position = position
        while let byte = line.at(position), isBlank(byte) || byte == 0x0A || byte == 0x0D { position += 1 }
        return position
    }
}
