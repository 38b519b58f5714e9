internal import BinaryPrimitives
internal import CrashLogFormats
internal import CrashLogModel

/// The part of a log that is still needed: from the first byte that no piece covers to the last one
/// fed.
struct LogWindow: Sendable {
    private(set) var bytes: [UInt8] = []
    /// Where in `bytes` the window begins: what is before is done with and waits to be removed.
    private(set) var head = 0
    /// Where the window begins in the log.
    private(set) var start = 0

    /// Where the window ends in the log.
    var end: Int { start + bytes.count - head }

    mutating func append(_ more: Span<UInt8>) {
        // What is done with is removed before there is more of it than of the rest: each byte is
        // moved once on average.
        if head > 0, head >= bytes.count - head {
            bytes.removeFirst(head)
            head = 0
        }
        bytes.append(copying: more)
    }

    /// Gives up what is before `position` of the log.
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
