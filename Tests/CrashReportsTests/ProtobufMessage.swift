import BinaryPrimitives
import TestSupport

/// A protobuf message under construction, for logs that are one.
struct ProtobufMessage {
    var writer = ByteWriter()
    var bytes: [UInt8] { writer.bytes }

    mutating func put(_ field: UInt64, _ number: UInt64) {
        writer.putULEB128(field << 3)
        writer.putULEB128(number)
    }
    mutating func put(_ field: UInt64, bytes: [UInt8]) {
        writer.putULEB128(field << 3 | 2)
        writer.putULEB128(UInt64(bytes.count))
        writer.bytes += bytes
    }
    mutating func put(_ field: UInt64, _ text: String) { put(field, bytes: Array(text.utf8)) }
    mutating func put(_ field: UInt64, _ fill: (inout ProtobufMessage) -> Void) {
        var inner = ProtobufMessage()
        fill(&inner)
        put(field, bytes: inner.bytes)
    }
}
