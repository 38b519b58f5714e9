internal import BinaryPrimitives

/// What was read of a JSON document: its bytes, and its values as one list in the order of their beginnings, what they hold behind them; an object's keys stand before their values.
///
/// Of a crash log's values nearly none are asked for. So nothing is made of them when the document is read but where they stand: texts and numbers are made of the bytes each time that
/// they are asked for.
final class JSONDocument: Sendable {
    enum Kind: UInt8, Sendable {
        case object, array, string
        /// A string with escapes, which were found to be right.
        case escapedString
        case number, `true`, `false`, null
        /// A bare word.
        case word
    }

    struct Node: Sendable {
        var kind: Kind
        /// The place behind the last of what it holds; of what holds nothing the next place.
        var next: Int32
        /// Bytes of the document.
        var start: Int
        var end: Int
    }

    let bytes: [UInt8]
    let nodes: [Node]

    init(bytes: [UInt8], nodes: [Node]) {
        self.bytes = bytes
        self.nodes = nodes
    }

    /// A value's bytes as they stand there.
    func text(_ node: Int) -> String {
        String(decoding: bytes[nodes[node].start..<nodes[node].end], as: UTF8.self)
    }

    /// What a string says; `nil` for another kind.
    func string(_ node: Int) -> String? {
        let value = nodes[node]
        switch value.kind {
        case .string: return String(decoding: bytes[value.start + 1..<value.end - 1], as: UTF8.self)
        case .escapedString:
            let held = bytes
            let all = held.span
            return JSONEscapes.decoded(all.clamped(to: value.start + 1..<value.end - 1))
        default: return nil
        }
    }

    /// What `body` makes of a string's bytes; `nil` for another kind, and for a string with escapes.
    func withPlainString<Value>(_ node: Int, _ body: (Span<UInt8>) -> Value?) -> Value? {
        let value = nodes[node]
        guard value.kind == .string else { return nil }
        let held = bytes
        let all = held.span
        return body(all.clamped(to: value.start + 1..<value.end - 1))
    }

    /// Whether the string says these bytes.
    func says(_ text: String, at node: Int) -> Bool {
        let value = nodes[node]
        guard value.kind == .string else { return value.kind == .escapedString && string(node) == text }
        guard text.utf8.count == value.end - value.start - 2 else { return false }
        var index = value.start + 1
        for byte in text.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }
}

/// What a backslash in a JSON string means (RFC 8259, section 7).
enum JSONEscapes {
    /// Of a string's bytes whose escapes were found to be right.
    static func decoded(_ bytes: Span<UInt8>) -> String {
        // What an escape stands for is never longer than itself: `\\u20ac` has three bytes.
        unsafe String(unsafeUninitializedCapacity: bytes.count) { target in
            var count = 0
            func add(_ byte: UInt8) {
                unsafe target[count] = byte
                count += 1
            }
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                guard byte == UInt8(ascii: "\\"), index < bytes.count else {
                    add(byte)
                    continue
                }
                let escape = bytes[index]
                index += 1
                switch escape {
                case UInt8(ascii: "n"): add(0x0A)
                case UInt8(ascii: "t"): add(0x09)
                case UInt8(ascii: "r"): add(0x0D)
                case UInt8(ascii: "b"): add(0x08)
                case UInt8(ascii: "f"): add(0x0C)
                case UInt8(ascii: "u"):
                    var scalar = UInt32(unit(bytes, index))
                    index += 4
                    // Outside the basic plane: two units, a high and a low surrogate.
                    if (0xD800...0xDBFF).contains(scalar), index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"),
                        bytes[index + 1] == UInt8(ascii: "u")
                    {
                        let low = UInt32(unit(bytes, index + 2))
                        index += 6
                        scalar = (0xDC00...0xDFFF).contains(low) ? 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00) : 0xFFFD
                    }
                    for byte in String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8 { add(byte) }
                default: add(escape)
                }
            }
            return count
        }
    }

    private static func unit(_ bytes: Span<UInt8>, _ start: Int) -> UInt16 {
        guard start + 4 <= bytes.count else { return 0xFFFD }
        return (start..<start + 4).reduce(0) { $0 << 4 | UInt16(hexadecimalValue(bytes[$1]) ?? 0) }
    }
}
