/// Memory that is filled from a file again and again, so that reading a large file piece by piece needs the size of one piece.
///
/// Copying a piece with `pread(2)` costs less than the page faults of a mapping, and its pages do not stay resident.
/// One task uses a buffer at a time.
@safe public final class ReadBuffer {
    /// The most that a buffer grows to, in bytes. Larger pieces are read through the mapping.
    public static let largestPiece = 16 << 20

    private var memory: UnsafeMutableRawBufferPointer
    private var capacity = 0
    private var isInUse = false

    public init() { unsafe memory = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { unsafe memory.deallocate() }

    /// Gives the bytes of `range` of `file` to `body`.
    ///
    /// The bytes come through the mapping instead where they exceed `largestPiece`, where the file could not be read, or while this buffer's
    /// bytes are being used further up the stack.
    public func withBytes<Result, Failure: Error>(
        of file: MappedFile, _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !isInUse, range.count <= Self.largestPiece, fill(from: file, range) else {
            return try file.withBytes { (whole: RawSpan) throws(Failure) -> Result in try body(whole.clamped(to: range)) }
        }
        isInUse = true
        defer { isInUse = false }
        return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<range.count])))
    }

    private func fill(from file: MappedFile, _ range: Range<Int>) -> Bool {
        if capacity < range.count {
            unsafe memory.deallocate()
            // Doubling, so that pieces of growing size do not allocate each time.
            capacity = max(range.count, min(capacity * 2, Self.largestPiece))
            unsafe memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        }
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<range.count])
        return unsafe file.read(at: FileOffset(UInt64(range.lowerBound)), into: piece) == range.count
    }
}
