internal import BinaryPrimitives

/// The fields of one protobuf message by their numbers. Of a field that occurs several times the last counts, as protobuf has it.
package struct ProtobufMessage {
    private var fields: [UInt64: ProtobufField] = [:]
    /// Why the message could not be read to its end.
    package private(set) var problem: LogError?

    /// Fields with higher numbers are left out; the schemas that are read have none.
    private static let maxNumber: UInt64 = 63

    package init(_ message: Range<Int>, in document: Span<UInt8>) {
        var fields: [UInt64: ProtobufField] = [:]
        problem = ProtobufFields.forEach(of: message, in: document) { if $0.number <= Self.maxNumber { fields[$0.number] = $0 } }
        self.fields = fields
    }

    package func has(_ number: UInt64) -> Bool { fields[number] != nil }
    package func unsigned(_ number: UInt64) -> UInt64? { fields[number]?.unsigned }
    package func range(_ number: UInt64) -> Range<Int>? { fields[number]?.range }
    package func text(_ number: UInt64, in document: Span<UInt8>) -> String? { fields[number]?.text(in: document) }
}

/// One field of a protobuf message as the wire has it. The message's schema gives the meaning of
/// its number.
package struct ProtobufField {
    package var number: UInt64
    package var value: Value

    package enum Value {
        /// A number of any of the three sizes: a varint's 64 bits, or fixed 64 or 32 bits.
        case number(UInt64)
        /// The range in the document of text, bytes or a message.
        case bytes(Range<Int>)
    }

    /// The number; `nil` if the field is not a number.
    package var unsigned: UInt64? {
        guard case .number(let value) = value else { return nil }
        return value
    }

    /// Range of text, bytes or a message; `nil` for a number.
    package var range: Range<Int>? {
        guard case .bytes(let range) = value else { return nil }
        return range
    }

    /// The field as text. Invalid UTF-8 is replaced, and text longer than a name may be is cut.
    package func text(in document: Span<UInt8>) -> String? {
        range.map { document.clamped(to: $0).upTo(Limits.standard.nameLength).text }
    }
}

/// The fields of protobuf messages (the wire format of protobuf.dev/programming-guides/encoding),
/// one after another and nothing kept.
package enum ProtobufFields {
    /// Calls `body` with each field of a message, in order.
    ///
    /// - Parameters:
    ///   - message: range of the message in the document.
    /// - Returns: `nil` at the message's end; otherwise why reading stopped, with the position in
    ///   the document.
    package static func forEach(of message: Range<Int>, in document: Span<UInt8>, _ body: (ProtobufField) -> Void) -> LogError? {
        let end = min(message.upperBound, document.count)
        var position = max(0, message.lowerBound)
        while position < end {
            let start = position
            guard let key = varint(&position, end, document) else {
                return LogError("a field's key is cut off", expected: "a varint", at: start)
            }
            let value: ProtobufField.Value
            switch key & 7 {
            case 0:
                guard let number = varint(&position, end, document) else {
                    return LogError("a number is cut off", expected: "a varint", at: position)
                }
                value = .number(number)
            case 1, 5:
                let size = key & 7 == 1 ? 8 : 4
                guard end - position >= size else { return LogError("a number is cut off", expected: "\(size) bytes", at: position) }
                var number: UInt64 = 0
                for index in (0..<size).reversed() { number = number << 8 | UInt64(document[position + index]) }
                position += size
                value = .number(number)
            case 2:
                guard let length = varint(&position, end, document), length <= UInt64(end - position) else {
                    return LogError(
                        "a field is longer than the message that it is in", expected: "at most \(end - position) bytes", at: start)
                }
                value = .bytes(position..<position + Int(length))
                position += Int(length)
            default:
                return LogError("wire type \(key & 7) is none that is written", expected: "0, 1, 2 or 5", at: start)
            }
            body(ProtobufField(number: key >> 3, value: value))
        }
        return nil
    }

    /// Seven bits a byte, the lowest first, at most ten bytes; what exceeds 64 bits is dropped, as
    /// every protobuf reader does.
    private static func varint(_ position: inout Int, _ end: Int, _ document: Span<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard position + index < end else { return nil }
            let byte = document[position + index]
            value |= UInt64(byte & 0x7F) << UInt64(7 * index)
            if byte < 0x80 {
                position += index + 1
                return value
            }
        }
        return nil
    }
}
