import BinaryPrimitives

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
