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
        case .escapedString: return String(decoding: JSONEscapes.decoded(bytes[value.start + 1..<value.end - 1]), as: UTF8.self)
        default: return nil
        }
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
    static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < bytes.endIndex else {
                result.append(byte)
                continue
            }
            let escape = bytes[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                var scalar = UInt32(unit(bytes, index))
                index += 4
                // Outside the basic plane: two units, a high and a low surrogate.
                if (0xD800...0xDBFF).contains(scalar), index + 6 <= bytes.endIndex, bytes[index] == UInt8(ascii: "\\"),
                    bytes[index + 1] == UInt8(ascii: "u")
                {
                    let low = UInt32(unit(bytes, index + 2))
                    index += 6
                    scalar = (0xDC00...0xDFFF).contains(low) ? 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00) : 0xFFFD
                }
                result += Array(String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
            default: result.append(escape)
            }
        }
        return result
    }

    private static func unit(_ bytes: ArraySlice<UInt8>, _ start: Int) -> UInt16 {
        guard start + 4 <= bytes.endIndex else { return 0xFFFD }
        return bytes[start..<start + 4].reduce(0) { $0 << 4 | UInt16(hexadecimalValue($1) ?? 0) }
    }
}
