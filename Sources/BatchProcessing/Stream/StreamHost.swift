package import BinaryPrimitives

/// The process that reads logs and symbol files, for the one that has the streams. Whatever a log
/// does to it ends no stream: the other process starts it anew (`StreamRun`).
package enum StreamHost {
    /// Handles one record after another, until the other process ends.
    package static func run(_ responder: StreamResponder, _ socket: LocalSocket) {
        while let message = try? socket.message(maxBytes: .max) {
            guard let record = StreamMessage.record(message) else { return }
            let reply = StreamMessage.bytes(responder.reply(to: record), memory: ProcessMemory.own)
            guard (try? socket.send(message: reply)) != nil else { return }
        }
    }
}

/// Encodes records and replies between two processes of this program. Both ends are the same
/// program, so there is no version in the messages; but all input is checked.
enum StreamMessage {
    /// A record, which was not refused.
    static func bytes(_ record: StreamRecord) -> [UInt8]? {
        switch record {
        case .line(let line): [0] + line
        case .pair(let key, let log): [1] + number(key.count) + key + log
        case .refused: nil
        }
    }

    static func record(_ message: [UInt8]) -> StreamRecord? {
        switch message.first {
        case 0: return .line(Array(message[1...]))
        case 1:
            guard let count = number(message, at: 1), count <= message.count - 9 else { return nil }
            return .pair(key: Array(message[9..<9 + count]), log: Array(message[(9 + count)...]))
        default: return nil
        }
    }

    /// - Parameter memory: bytes of the process's own memory.
    static func bytes(_ reply: StreamReply, memory: Int) -> [UInt8] { [reply.isError ? 1 : 0] + number(memory) + reply.line }

    static func reply(_ message: [UInt8]) -> (reply: StreamReply, memory: Int)? {
        guard let first = message.first, first <= 1, let memory = number(message, at: 1) else { return nil }
        let line = Array(message[9...])
        // A reply is exactly one line, even if the process was damaged.
        guard line.last == 0x0A, line.span.firstLineFeed(from: 0) == line.count - 1 else { return nil }
        return (StreamReply(line: line, isError: first == 1), memory)
    }

    private static func number(_ value: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }

    private static func number(_ bytes: [UInt8], at start: Int) -> Int? {
        guard bytes.count - start >= 8 else { return nil }
        return Int(exactly: bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
