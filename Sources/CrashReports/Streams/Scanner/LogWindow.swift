internal import BinaryPrimitives

/// The part of a log that is still needed: from the first byte that no piece covers to the last one
/// fed.
struct LogWindow: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Index in `bytes` at which the window begins: bytes before it are finished and wait to be
    /// removed.
    private(set) var head = 0
    /// Position in the log at which the window begins.
    private(set) var start = 0

    /// Position in the log at which the window ends.
    var end: Int { start + bytes.count - head }

    mutating func append(_ more: Span<UInt8>) {
        // Finished bytes are removed before there are more of them than of the rest: each byte is
        // moved once on average.
        if head > 0, head >= bytes.count - head {
            bytes.removeFirst(head)
            head = 0
        }
        bytes.append(copying: more)
    }

    /// Removes the bytes before `position` of the log.
    mutating func drop(upTo position: Int) {
        let count = min(max(0, position - start), bytes.count - head)
        head += count
        start += count
        if head == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            head = 0
        }
    }
}
