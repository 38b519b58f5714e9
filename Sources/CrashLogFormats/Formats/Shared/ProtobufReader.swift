internal import CrashLogModel

/// Reads the nested messages of a protobuf report. Damage in one is recorded, and reading continues.
protocol ProtobufReader {
    /// The first nested message that could not be read.
    var problem: LogError? { get set }
}

extension ProtobufReader {
    /// Reads a message of which each field counts once.
    mutating func read(_ message: Range<Int>, _ document: Span<UInt8>) -> ProtobufMessage {
        let message = ProtobufMessage(message, in: document)
        problem = problem ?? message.problem
        return message
    }

    /// Reads a message whose fields occur several times.
    mutating func read(_ message: Range<Int>, _ document: Span<UInt8>, _ body: (inout Self, ProtobufField) -> Void) {
        let failure = ProtobufFields.forEach(of: message, in: document) { body(&self, $0) }
        problem = problem ?? failure
    }
}
