internal import BinaryPrimitives

/// Compressed bytes of a file on their way to a decoder, read piece by piece.
@safe struct InputPieces: ~Copyable {
    private let file: MappedFile
    private var unread: Range<Int>
    private let buffer: UnsafeMutableRawBufferPointer
    /// The part of `buffer` that was read and that no decoder got yet.
    private var pending = 0..<0

    /// - Parameters:
    ///   - range: bytes of the file.
    ///   - size: bytes that are read at once.
    init(_ file: MappedFile, _ range: Range<Int>, size: Int) {
        self.file = file
        unread = range
        unsafe buffer = .allocate(byteCount: min(size, max(1, range.count)), alignment: 16)
    }

    deinit { unsafe buffer.deallocate() }

    var hasPending: Bool { !pending.isEmpty }
    var isEmpty: Bool { pending.isEmpty && unread.isEmpty }
    /// Range of the file that no decoder has received yet.
    var rest: Range<Int> { unread.lowerBound - pending.count..<unread.upperBound }
    /// Offset of the first byte of `rest`.
    var position: Int { rest.lowerBound }

    /// Reads the next piece, when the last was decoded.
    /// - Returns: `false` if there is none, or it cannot be read.
    mutating func refill() -> Bool {
        let count = unsafe min(unread.count, buffer.count)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        guard count > 0, unsafe file.read(at: FileOffset(UInt64(unread.lowerBound)), into: piece) == count else { return false }
        unread = unread.lowerBound + count..<unread.upperBound
        pending = 0..<count
        return true
    }

    /// Passes the bytes that were read and not decoded yet to `body`.
    /// - Parameter maxCount: maximum number of bytes to pass.
    func withPending<Result, Failure: Error>(
        maxCount: Int = .max, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(UnsafeRawBufferPointer(rebasing: buffer[pending.prefix(max(0, maxCount))]))
    }

    /// A decoder got so many bytes.
    mutating func advance(by count: Int) { pending = pending.lowerBound + count..<pending.upperBound }

    /// Goes past a byte of those that are pending.
    /// - Returns: the byte.
    mutating func skip(to index: Int) -> UInt8? {
        guard index < pending.count else { return nil }
        let byte = unsafe buffer[pending.lowerBound + index]
        advance(by: index + 1)
        return byte
    }

    /// Continues at another range.
    /// - Parameter range: bytes of the file.
    mutating func restart(at range: Range<Int>) {
        unread = range
        pending = 0..<0
    }
}
