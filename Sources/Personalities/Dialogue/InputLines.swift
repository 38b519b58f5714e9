internal import BinaryPrimitives

/// Reads the lines of standard input as they arrive: complete lines are returned before it waits for more.
struct InputLines {
    /// Maximum number of bytes of one line; a longer line is split, as with `fgets(3)`, which the tools use.
    private let limit: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// Position of the first byte that was not returned yet.
    private var position = 0
    private(set) var isAtEnd = false

    /// - Parameter descriptor: standard input's.
    init(limit: Int, from descriptor: Int32) {
        self.limit = limit
        self.descriptor = descriptor
    }

    /// Calls `body` with the next line, without its line ending.
    /// - Returns: `false` if no line is complete: call `read` then.
    mutating func next(_ body: (Span<UInt8>) -> Void) -> Bool {
        let start = position
        let maxEnd = min(buffer.count, start + limit)
        var end = start
        while end < maxEnd, buffer[end] != UInt8(ascii: "\n") { end += 1 }
        if end < maxEnd {
            position = end + 1
        } else if end > start, end - start == limit || isAtEnd {
            position = end
        } else {
            return false
        }
        body(buffer.span.extracting(start..<end))
        return true
    }

    /// Whether more input, or its end, can be read without waiting.
    var isMoreWaiting: Bool { FileDescriptor.hasInput(descriptor) }

    /// Reads the available input; waits if there is none.
    mutating func read() throws(FileError) {
        let rest = buffer[position...]
        let bytes = try FileDescriptor.readSome(from: descriptor)
        isAtEnd = bytes.isEmpty
        buffer = rest.isEmpty ? bytes : rest + bytes
        position = 0
    }
}
