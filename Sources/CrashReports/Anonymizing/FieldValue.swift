internal import BinaryPrimitives

/// Finds the range of a field's value.
enum FieldValue {
    /// Range of the line's text after `index`, without the blanks around it; it ends before `stop`,
    /// if that is given.
    static func line(in log: Span<UInt8>, from index: Int, until stop: UInt8?) -> Range<Int>? {
        var start = index
        while let byte = log.at(start), isBlank(byte) { start += 1 }
        var end = start
        while let byte = log.at(end), byte >= 0x20, byte != stop { end += 1 }
        while end > start, isBlank(log[end - 1]) { end -= 1 }
        guard end > start, !UserFolder.isNobody(log.clamped(to: start..<end)) else { return nil }
        return start..<end
    }

    /// The text of a JSON string whose opening quotation mark is before `index`; `nil` for an empty
    /// one and one that does not end.
    static func string(in log: Span<UInt8>, from index: Int) -> Range<Int>? {
        var end = index
        while let byte = log.at(end), byte != UInt8(ascii: "\"") {
            guard byte != UInt8(ascii: "\n") else { return nil }
            end += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return end < log.count && end > index ? index..<end : nil
    }

    /// Position after the brace that closes the one at `index`.
    static func objectEnd(in log: Span<UInt8>, from index: Int, limit: Int) -> Int? {
        var depth = 0
        var position = index
        var isInside = false
        while position < min(log.count, index + limit) {
            switch log[position] {
            case UInt8(ascii: "\\"): position += 1
            case UInt8(ascii: "\""): isInside.toggle()
            case UInt8(ascii: "{") where !isInside: depth += 1
            case UInt8(ascii: "}") where !isInside:
                depth -= 1
                if depth == 0 { return position + 1 }
            default: break
            }
            position += 1
        }
        return nil
    }

    /// The word after an equals sign, quoted or not; `nil` for anything but a name: a number, an
    /// address, `<optimized out>`.
    static func word(in log: Span<UInt8>, from index: Int) -> Range<Int>? {
        let start = log.at(index) == UInt8(ascii: "\"") || log.at(index) == UInt8(ascii: "'") ? index + 1 : index
        var end = start
        while let byte = log.at(end), isWordByte(byte) || byte == UInt8(ascii: "+") { end += 1 }
        guard end > start, !log.from(start).hasPrefix("0x") else { return nil }
        return start..<end
    }
}

/// Whether a byte may be part of a name.
func isWordByte(_ byte: UInt8) -> Bool {
    byte >= 0x80 || isDigit(byte) || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
}
