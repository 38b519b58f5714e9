package import BinaryPrimitives

/// Reads JSON (RFC 8259) out of bytes that nobody vouches for.
///
/// More is accepted than the standard allows where logs in the wild have it: a comma before a closing bracket, raw line breaks in strings (reports that were pasted
/// somewhere), and bare words as values (templates, reports that somebody has blackened). Nesting is capped by `Limits.jsonDepth`.
package struct JSONParser: Sendable {
    private let depthLimit: Int

    package init(limits: Limits = .standard) { depthLimit = limits.jsonDepth }

    /// Reads the value that begins at `start`, after white space.
    ///
    /// - Parameter start: in bytes from the document's first.
    /// - Returns: the value; its range ends where reading stopped.
    /// - Throws: `LogError` with the position of what is wrong.
    package func parse(_ document: Span<UInt8>, from start: Int = 0) throws(LogError) -> JSONValue {
        var position = max(0, start)
        return try value(document, &position)
    }

    /// An object or array whose end has not been reached. They are kept in a list and not on the stack: a call-stack tree of MetricKit nests twice as deep as its stacks are.
    private struct Open {
        let start: Int
        let isObject: Bool
        var members: [JSONMember] = []
        var elements: [JSONValue] = []
        /// The key whose value comes next.
        var key = ""
        var keyRange = 0..<0

        var close: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
        var isEmpty: Bool { isObject ? members.isEmpty : elements.isEmpty }
        var content: JSONValue.Content { isObject ? .object(members) : .array(elements) }

        mutating func add(_ value: JSONValue) {
            if isObject { members.append(JSONMember(key: key, keyRange: keyRange, value: value)) } else { elements.append(value) }
        }
    }

    private func value(_ document: Span<UInt8>, _ position: inout Int) throws(LogError) -> JSONValue {
        var open: [Open] = []
        while true {
            var value: JSONValue
            JSONParser.skipSpace(document, &position)
            let byte = document.at(position)
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard open.count < depthLimit else {
                    throw LogError("the JSON document is nested too deeply", expected: "at most \(depthLimit) levels", at: position)
                }
                let fresh = Open(start: position, isObject: byte == UInt8(ascii: "{"))
                position += 1
                guard try ends(with: fresh.close, hasElements: false, document, &position, from: fresh.start) else {
                    open.append(fresh)
                    try key(of: &open[open.count - 1], document, &position)
                    continue
                }
                value = JSONValue(content: fresh.content, range: fresh.start..<position)
            } else {
                value = try scalar(document, &position)
            }
            // The value may be the last of what holds it, and that of what holds it.
            while true {
                guard let last = open.indices.last else { return value }
                open[last].add(value)
                guard try ends(with: open[last].close, hasElements: true, document, &position, from: open[last].start) else {
                    try key(of: &open[last], document, &position)
                    break
                }
                value = JSONValue(content: open[last].content, range: open[last].start..<position)
                open.removeLast()
            }
        }
    }

    /// Reads the key and the colon of an object's next member; of an array nothing.
    private func key(of object: inout Open, _ document: Span<UInt8>, _ position: inout Int) throws(LogError) {
        guard object.isObject else { return }
        let start = position
        guard document.at(position) == UInt8(ascii: "\"") else {
            throw LogError("there is no key", expected: "a string", at: position)
        }
        object.key = try string(document, &position)
        object.keyRange = start..<position
        JSONParser.skipSpace(document, &position)
        guard document.at(position) == UInt8(ascii: ":") else {
            throw LogError("there is no value for “\(object.key)”", expected: "a colon", at: position)
        }
        position += 1
    }

    /// Reads a value that holds no others.
    private func scalar(_ document: Span<UInt8>, _ position: inout Int) throws(LogError) -> JSONValue {
        guard let byte = document.at(position) else {
            throw LogError("the JSON document ends early", expected: "a value", at: position)
        }
        let start = position
        switch byte {
        case UInt8(ascii: "\""):
            let text = try string(document, &position)
            return JSONValue(content: .string(text), range: start..<position)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return JSONValue(content: JSONParser.number(document, &position), range: start..<position)
        default:
            for (word, content) in [("true", JSONValue.Content.bool(true)), ("false", .bool(false)), ("null", .null)]
            where document.from(position).hasPrefix(word) {
                position += word.utf8.count
                return JSONValue(content: content, range: start..<position)
            }
            while let byte = document.at(position), JSONParser.isWordByte(byte) { position += 1 }
            guard position > start else {
                throw LogError("there is no JSON value", expected: "a string, number, object, array, true, false or null", at: position)
            }
            return JSONValue(content: .other(document.clamped(to: start..<position).text), range: start..<position)
        }
    }

    /// Moves past white space and the comma behind an element.
    /// - Returns: whether the array or object ends here; its closing bracket is then behind the position.
    private func ends(
        with close: UInt8, hasElements: Bool, _ document: Span<UInt8>, _ position: inout Int, from start: Int
    ) throws(LogError) -> Bool {
        JSONParser.skipSpace(document, &position)
        if hasElements, document.at(position) != close {
            guard document.at(position) == UInt8(ascii: ",") else {
                let name = String(decoding: [close], as: UTF8.self)
                let problem = position < document.count ? "a comma is missing in JSON" : "the JSON document ends early"
                throw LogError(problem, expected: "“,” or the “\(name)” of what begins at byte \(start)", at: position)
            }
            position += 1
            JSONParser.skipSpace(document, &position)
        }
        guard document.at(position) == close else { return false }
        position += 1
        return true
    }

    /// Reads a string with its quotes.
    private func string(_ document: Span<UInt8>, _ position: inout Int) throws(LogError) -> String {
        let start = position
        position += 1
        var bytes: [UInt8] = []
        while let byte = document.at(position) {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"): try escape(document, &position, into: &bytes)
            default: bytes.append(byte)
            }
        }
        throw LogError("the JSON document ends early", expected: "the closing quote of the string at byte \(start)", at: position)
    }

    private func escape(_ document: Span<UInt8>, _ position: inout Int, into bytes: inout [UInt8]) throws(LogError) {
        guard let byte = document.at(position) else {
            throw LogError("the JSON document ends early", expected: "the rest of an escape", at: position)
        }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): bytes.append(0x0A)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "r"): bytes.append(0x0D)
        case UInt8(ascii: "b"): bytes.append(0x08)
        case UInt8(ascii: "f"): bytes.append(0x0C)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(byte)
        case UInt8(ascii: "u"):
            var scalar = UInt32(try unit(document, &position))
            // Outside the basic plane: two units, a high and a low surrogate (RFC 8259, section 7).
            if (0xD800...0xDBFF).contains(scalar), document.at(position) == UInt8(ascii: "\\"),
                document.at(position + 1) == UInt8(ascii: "u")
            {
                position += 2
                let low = UInt32(try unit(document, &position))
                scalar = (0xDC00...0xDFFF).contains(low) ? 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00) : 0xFFFD
            }
            bytes += Array(String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
        default:
            throw LogError(
                "a JSON string has an unknown escape", expected: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", at: position - 1)
        }
    }

    private func unit(_ document: Span<UInt8>, _ position: inout Int) throws(LogError) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = document.at(position), let digit = hexadecimalValue(byte) else {
                throw LogError("a JSON string has an incomplete escape", expected: "four hexadecimal digits", at: position)
            }
            value = value << 4 | UInt16(digit)
            position += 1
        }
        return value
    }

    private static func number(_ document: Span<UInt8>, _ position: inout Int) -> JSONValue.Content {
        let start = position
        while let byte = document.at(position), isNumberByte(byte) { position += 1 }
        let text = document.clamped(to: start..<position).text
        if let value = Int64(text) { return .integer(value) }
        if let value = UInt64(text) { return .unsigned(value) }
        return .other(text)
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
            UInt8(ascii: "]"):
            false
        default: byte > 0x20
        }
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "e")
            || byte == UInt8(ascii: "E")
    }

    private static func skipSpace(_ document: Span<UInt8>, _ position: inout Int) {
        while let byte = document.at(position), isBlank(byte) || byte == 0x0A || byte == 0x0D { position += 1 }
    }
}
