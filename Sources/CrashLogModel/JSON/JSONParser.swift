package import BinaryPrimitives

/// Reads JSON (RFC 8259) from untrusted bytes.
///
/// More is accepted than the standard allows where logs in the wild have it: a comma before a
/// closing bracket, raw line breaks in strings (reports that were pasted somewhere), and bare words
/// as values (templates, reports that somebody has blackened). Nesting and the number of values are
/// capped by `Limits`.
package struct JSONParser: Sendable {
    private let limits: Limits

    package init(limits: Limits = .standard) { self.limits = limits }

    /// Reads the value that begins at `start`, after white space.
    ///
    /// - Parameter start: position in bytes from the document's first.
    /// - Returns: the value; its range ends at the position where reading stopped.
    /// - Throws: `LogError` with the position of the error.
    package func parse(_ document: Span<UInt8>, from start: Int = 0) throws(LogError) -> JSONValue {
        let start = min(max(0, start), document.count)
        var reading = Reading(limits: limits, position: start, size: document.count - start)
        try reading.read(document)
        let bytes = document.clamped(to: start..<reading.position).copied()
        return JSONValue(JSONDocument(bytes: bytes, from: start, nodes: reading.nodes), 0)
    }
}

/// One reading of a document.
private struct Reading {
    let depthLimit: Int
    let valueLimit: Int
    var position: Int
    private(set) var nodes: [JSONDocument.Node] = []
    /// The indices of the objects and arrays whose ends have not been reached. They are kept in a
    /// list and not on the stack: a call-stack tree of MetricKit nests twice as deep as its stacks
    /// are.
    private var open: [Int] = []

    init(limits: Limits, position: Int, size: Int) {
        depthLimit = limits.jsonDepth
        valueLimit = limits.jsonValues
        self.position = position
        // Compact events have a value or key in every fourteen bytes. Room that is not used takes no memory.
        nodes.reserveCapacity(min(size / 12, 1 << 16))
    }

    mutating func read(_ document: Span<UInt8>) throws(LogError) {
        while true {
            skipSpace(document)
            guard nodes.count < valueLimit else {
                throw LogError("the JSON document has too many values", expected: "at most \(valueLimit), keys among them", at: position)
            }
            let byte = document.at(position)
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                guard open.count < depthLimit else {
                    throw LogError("the JSON document is nested too deeply", expected: "at most \(depthLimit) levels", at: position)
                }
                let start = position
                let isObject = byte == UInt8(ascii: "{")
                position += 1
                nodes.append(JSONDocument.Node(kind: isObject ? .object : .array, next: 0, start: start, end: 0))
                guard try ends(with: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), hasElements: false, document, from: start) else {
                    open.append(nodes.count - 1)
                    if isObject { try key(document) }
                    continue
                }
                close(nodes.count - 1)
            } else {
                try scalar(document)
            }
            // The value may be the last of its container, and the container the last of its own.
            while true {
                guard let last = open.last else { return }
                let isObject = nodes[last].kind == .object
                guard
                    try ends(
                        with: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"), hasElements: true, document, from: nodes[last].start)
                else {
                    if isObject { try key(document) }
                    break
                }
                close(last)
                open.removeLast()
            }
        }
    }

    private mutating func close(_ node: Int) {
        nodes[node].end = position
        nodes[node].next = Int32(clamping: nodes.count)
    }

    private mutating func add(_ kind: JSONDocument.Kind, from start: Int) {
        nodes.append(JSONDocument.Node(kind: kind, next: Int32(clamping: nodes.count + 1), start: start, end: position))
    }

    /// Reads the key and the colon of an object's next member.
    private mutating func key(_ document: Span<UInt8>) throws(LogError) {
        guard document.at(position) == UInt8(ascii: "\"") else {
            throw LogError("expected a key", expected: "a string", at: position)
        }
        let start = position
        try string(document)
        let end = position
        skipSpace(document)
        guard document.at(position) == UInt8(ascii: ":") else {
            let key = document.clamped(to: start + 1..<end - 1).text
            throw LogError("expected a value for “\(key)”", expected: "a colon", at: position)
        }
        position += 1
    }

    /// Reads a value that holds no others.
    private mutating func scalar(_ document: Span<UInt8>) throws(LogError) {
        guard let byte = document.at(position) else {
            throw LogError("the JSON document ends early", expected: "a value", at: position)
        }
        let start = position
        switch byte {
        case UInt8(ascii: "\""): try string(document)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            while let byte = document.at(position), Self.isNumberByte(byte) { position += 1 }
            add(.number, from: start)
        default:
            let rest = document.from(position)
            for (word, kind) in [("true", JSONDocument.Kind.true), ("false", .false), ("null", .null)] where rest.hasPrefix(word) {
                position += word.utf8.count
                return add(kind, from: start)
            }
            while let byte = document.at(position), Self.isWordByte(byte) { position += 1 }
            guard position > start else {
                throw LogError("expected a JSON value", expected: "a string, number, object, array, true, false or null", at: position)
            }
            add(.word, from: start)
        }
    }

    /// Moves past white space and the comma after an element.
    /// - Returns: whether the array or object ends here; the position is then after its closing
    ///   bracket.
    private mutating func ends(
        with close: UInt8, hasElements: Bool, _ document: Span<UInt8>, from start: Int
    ) throws(LogError) -> Bool {
        skipSpace(document)
        if hasElements, document.at(position) != close {
            guard document.at(position) == UInt8(ascii: ",") else {
                let name = String(decoding: [close], as: UTF8.self)
                let problem = position < document.count ? "a comma is missing in JSON" : "the JSON document ends early"
                throw LogError(problem, expected: "“,” or the “\(name)” of what begins at byte \(start)", at: position)
            }
            position += 1
            skipSpace(document)
        }
        guard document.at(position) == close else { return false }
        position += 1
        return true
    }

    /// Reads a string with its quotes.
    private mutating func string(_ document: Span<UInt8>) throws(LogError) {
        let start = position
        position += 1
        var isEscaped = false
        while let found = document.firstQuoteOrBackslash(from: position) {
            position = found + 1
            if document.at(found) == UInt8(ascii: "\"") {
                add(isEscaped ? .escapedString : .string, from: start)
                return
            }
            isEscaped = true
            try escape(document)
        }
        position = document.count
        throw LogError("the JSON document ends early", expected: "the closing quote of the string at byte \(start)", at: position)
    }

    /// Reads an escape after its backslash.
    private mutating func escape(_ document: Span<UInt8>) throws(LogError) {
        guard let byte = document.at(position) else {
            throw LogError("the JSON document ends early", expected: "the rest of an escape", at: position)
        }
        position += 1
        switch byte {
        case UInt8(ascii: "n"), UInt8(ascii: "t"), UInt8(ascii: "r"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "\""),
            UInt8(ascii: "\\"), UInt8(ascii: "/"):
            break
        case UInt8(ascii: "u"):
            for _ in 0..<4 {
                guard let byte = document.at(position), hexadecimalValue(byte) != nil else {
                    throw LogError("a JSON string has an incomplete escape", expected: "four hexadecimal digits", at: position)
                }
                position += 1
            }
        default:
            throw LogError(
                "a JSON string has an unknown escape", expected: "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", at: position - 1)
        }
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

    private mutating func skipSpace(_ document: Span<UInt8>) {
        while let byte = document.at(position), isBlank(byte) || byte == 0x0A || byte == 0x0D { position += 1 }
    }
}
