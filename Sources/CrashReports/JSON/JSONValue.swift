/// A JSON value that remembers where in the document it stands.
///
/// Answers are spliced into a JSON log byte for byte, so every value keeps its range, and nothing is ever written out again as a whole. Numbers keep their full 64 bits.
package struct JSONValue: Sendable {
    package enum Content: Sendable {
        case null
        case bool(Bool)
        /// A number without fraction and exponent that fits.
        case integer(Int64)
        /// The same between `Int64.max` and `UInt64.max`.
        case unsigned(UInt64)
        /// Any other number, as it is written; and a bare word, where somebody has put one (a template's placeholder, `<redacted>`).
        case other(String)
        case string(String)
        case array([JSONValue])
        case object([JSONMember])
    }

    package var content: Content
    /// The value's bytes in the document: from a string's opening quote to behind its closing one, from a brace to behind its partner.
    package var range: Range<Int>
}

/// `"key": value` in an object.
package struct JSONMember: Sendable {
    package var key: String
    /// The key with its quotes.
    package var keyRange: Range<Int>
    package var value: JSONValue
}

extension JSONValue {
    /// The value of the first member with that key; `nil` if there is none, or if this is no object.
    package subscript(_ key: String) -> JSONValue? { member(key)?.value }

    /// The first member with that key.
    package func member(_ key: String) -> JSONMember? { members.first { $0.key == key } }

    /// An object's members in order; none if this is no object.
    package var members: [JSONMember] {
        if case .object(let members) = content { members } else { [] }
    }

    /// An array's elements; none if this is no array.
    package var elements: [JSONValue] {
        if case .array(let elements) = content { elements } else { [] }
    }

    package var string: String? {
        if case .string(let text) = content { text } else { nil }
    }

    /// A number as an unsigned one: an address, a size. Also one that is written as a string, decimal or with `0x`.
    package var unsigned: UInt64? {
        switch content {
        case .integer(let value): UInt64(exactly: value)
        case .unsigned(let value): value
        case .string(let text): text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
        case .null, .bool, .other, .array, .object: nil
        }
    }

    package var int: Int? {
        switch content {
        case .integer(let value): Int(exactly: value)
        case .string(let text): Int(text)
        case .null, .bool, .unsigned, .other, .array, .object: nil
        }
    }

    /// `true`, and what some writers put for it: 1 and `"true"`.
    package var isTrue: Bool {
        switch content {
        case .bool(let value): value
        case .integer(let value): value == 1
        case .string(let text): text == "true"
        case .null, .unsigned, .other, .array, .object: false
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

    package var isObject: Bool {
        if case .object = content { true } else { false }
    }
}
