internal import BinaryPrimitives

/// The lines of standard input, as they come: what is there is given out before anything is waited
/// for.
struct InputLines {
    /// Bytes of one line; what is longer is given out as further lines, as with `fgets(3)`, which
    /// the tools read by.
    private let limit: Int
    private let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The first byte that was not given out.
    private var position = 0
    private(set) var isAtEnd = false

    /// - Parameter descriptor: standard input's.
    init(limit: Int, from descriptor: Int32) {
        self.limit = limit
        self.descriptor = descriptor
    }

    /// Gives the next line, without its line ending, to `body`.
    /// - Returns: `false` where none is complete: then it is time to `read`.
    mutating func next(_ body: (Span<UInt8>) -> Void) -> Bool {
        let start = position
        let most = min(buffer.count, start + limit)
        var end = start
        while end < most, buffer[end] != UInt8(ascii: "\n") { end += 1 }
        if end < most {
            position = end + 1
        } else if end > start, end - start == limit || isAtEnd {
            position = end
        } else {
            return false
        }
        body(buffer.span.extracting(start..<end))
        return true
    }

    /// Whether more can be read without waiting, be it the end.
    var isMoreWaiting: Bool { FileDescriptor.hasInput(descriptor) }

    /// Reads what is there, and waits where nothing is.
    mutating func read() throws(FileError) {
        let rest = buffer[position...]
        let bytes = try FileDescriptor.readSome(from: descriptor)
        isAtEnd = bytes.isEmpty
        buffer = rest.isEmpty ? bytes : rest + bytes
        position = 0
    }
}
