internal import BinaryPrimitives

/// A JSON value that keeps its position in the document.
///
/// Results are spliced into a JSON log byte for byte, so every value keeps its range, and nothing
/// is ever written out again as a whole. Numbers keep their full 64 bits.
package struct JSONValue: Sendable {
    package enum Content: Sendable {
        case null
        case bool(Bool)
        /// A number without fraction and exponent that fits.
        case integer(Int64)
        /// The same between `Int64.max` and `UInt64.max`.
        case unsigned(UInt64)
        /// Any other number, as it is written; and a bare word, if somebody has put one (a
        /// template's placeholder, `<redacted>`).
        case other(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    private let document: JSONDocument
    private let node: Int

    package init(_ document: JSONDocument, _ node: Int) {
        self.document = document
        self.node = node
    }

    private var kind: JSONDocument.Kind { document.nodes[node].kind }

    /// The value's bytes in the document: from a string's opening quote to after its closing one,
    /// from a brace to after its partner.
    package var range: Range<Int> { document.nodes[node].start..<document.nodes[node].end }

    package var content: Content {
        switch kind {
        case .null: .null
        case .true: .bool(true)
        case .false: .bool(false)
        case .number: number
        case .word: .other(document.text(node))
        case .string, .escapedString: .string(document.string(node) ?? "")
        case .array: .array(elements)
        case .object: .object(members)
        }
    }

    private var number: Content {
        let text = document.text(node)
        if let value = Int64(text) { return .integer(value) }
        if let value = UInt64(text) { return .unsigned(value) }
        return .other(text)
    }

    /// The value of the first member with that key; `nil` if there is none, or if this is not an
    /// object.
    package subscript(_ key: String) -> JSONValue? { document.memberIndex(of: key, in: node).map { JSONValue(document, $0 + 1) } }

    /// The first member with that key.
    package func member(_ key: String) -> JSONMember? { document.memberIndex(of: key, in: node).map(member) }

    private func member(at index: Int) -> JSONMember {
        let key = document.nodes[index]
        return JSONMember(key: document.string(index) ?? "", keyRange: key.start..<key.end, value: JSONValue(document, index + 1))
    }

    /// An object's members in order; empty if this is not an object.
    package var members: [JSONMember] {
        guard kind == .object else { return [] }
        var members: [JSONMember] = []
        var index = node + 1
        let end = Int(document.nodes[node].next)
        while index < end {
            members.append(member(at: index))
            index = Int(document.nodes[index + 1].next)
        }
        return members
    }

    /// An array's elements; empty if this is not an array.
    package var elements: [JSONValue] {
        guard kind == .array else { return [] }
        var elements: [JSONValue] = []
        var index = node + 1
        let end = Int(document.nodes[node].next)
        while index < end {
            elements.append(JSONValue(document, index))
            index = Int(document.nodes[index].next)
        }
        return elements
    }

    /// The elements of an array that has two; `nil` for any other value.
    package var pair: (JSONValue, JSONValue)? {
        let (nodes, second) = (document.nodes, node + 1 < document.nodes.count ? Int(document.nodes[node + 1].next) : 0)
        guard kind == .array, node + 1 < nodes[node].next, second < nodes[node].next, nodes[second].next == nodes[node].next else {
            return nil
        }
        return (JSONValue(document, node + 1), JSONValue(document, second))
    }

    /// Whether another value is written with the same bytes, and so has the same meaning.
    package func isWritten(like other: JSONValue) -> Bool { document.isSame(node, as: other.document, other.node) }

    package var string: String? { document.string(node) }

    /// Returns the result of `body` for a string's bytes, without making a `String` of them; `nil`
    /// for other values, and for a string with escapes.
    package func withPlainString<Value>(_ body: (Span<UInt8>) -> Value?) -> Value? { document.withPlainString(node, body) }

    /// A number as an unsigned one: an address, a size. Also one that is written as a string,
    /// decimal or with `0x`.
    package var unsigned: UInt64? {
        if let value = plainUnsigned { return value }
        switch content {
        case .integer(let value): return UInt64(exactly: value)
        case .unsigned(let value): return value
        case .string(let text):
            return text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        case .null, .bool, .other, .array, .object: return nil
        }
    }

    /// Digits and nothing else, as nearly all numbers are written; `nil` if the full reader is
    /// needed.
    private var plainUnsigned: UInt64? {
        let value = document.nodes[node]
        var (start, end) = (value.start, value.end)
        if value.kind == .string {
            start += 1
            end -= 1
            if end - start > 2, end - start <= 18, document.byte(start) == UInt8(ascii: "0"),
                document.byte(start + 1) == UInt8(ascii: "x")
            {
                var result: UInt64 = 0
                for index in start + 2..<end {
                    guard let digit = hexadecimalValue(document.byte(index)) else { return nil }
                    result = result << 4 | UInt64(digit)
                }
                return result
            }
        } else if value.kind != .number {
            return nil
        }
        guard end > start, end - start <= 18 else { return nil }
        var result: UInt64 = 0
        for index in start..<end {
            guard isDigit(document.byte(index)) else { return nil }
            result = result * 10 + UInt64(document.byte(index) - UInt8(ascii: "0"))
        }
        return result
    }

    package var int: Int? {
        switch content {
        case .integer(let value): Int(exactly: value)
        case .string(let text): Int(text)
        case .null, .bool, .unsigned, .other, .array, .object: nil
        }
    }

    /// `true`, and the forms that some writers use for it: 1 and `"true"`.
    package var isTrue: Bool {
        switch kind {
        case .true: return true
        case .number: if case .integer(1) = number { return true } else { return false }
        case .string, .escapedString: return string == "true"
        case .null, .false, .word, .array, .object: return false
        }
    }

    /// A string, or a number as it is written.
    package var text: String? {
        switch content {
        case .string(let text), .other(let text): text
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .null, .array, .object: nil
        }
    }

    package var isObject: Bool { kind == .object }
    package var isArray: Bool { kind == .array }
}

/// `"key": value` in an object.
package struct JSONMember: Sendable {
    package var key: String
    /// The key with its quotes.
    package var keyRange: Range<Int>
    package var value: JSONValue
}
