internal import LibC

/// Memory that is filled from a file again and again, so that reading a large file piece by piece
/// needs the size of one piece.
///
/// Copying a piece with `pread(2)` costs less than the page faults of a mapping, and its pages do
/// not stay resident. One task uses a buffer at a time.
@safe package final class ReadBuffer {
    /// The most that a buffer grows to, in bytes. Larger pieces are read through the mapping.
    package static let maxPieceBytes = 16 << 20

    private var memory: UnsafeMutableRawBufferPointer
    /// Size of its memory in bytes.
    package private(set) var capacity = 0
    private var loaded = 0
    private var isInUse = false
    /// Whether a piece of `minMappedBytes` or more was read before.
    private var wasNeeded = false

    package init() { unsafe memory = UnsafeMutableRawBufferPointer(start: nil, count: 0) }

    deinit { unsafe memory.deallocate() }

    /// Gives the bytes of `range` of `file` to `body`.
    ///
    /// The bytes come through the mapping instead where they exceed `maxPieceBytes`, where they are the buffer's first large piece, where
    /// the file could not be read, or while this buffer's bytes are being used further up the stack.
    package func withBytes<Result, Failure: Error>(
        of file: MappedFile, _ range: Range<Int>, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if isFirstLarge(range) {
            defer { file.releasePages(in: range) }
            return try file.withBytes { (whole: RawSpan) throws(Failure) -> Result in try body(whole.clamped(to: range)) }
        }
        guard !isInUse, range.count <= Self.maxPieceBytes, fill(from: file, range) else {
            return try file.withBytes { (whole: RawSpan) throws(Failure) -> Result in try body(whole.clamped(to: range)) }
        }
        isInUse = true
        defer { isInUse = false }
        return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<range.count])))
    }

    /// Loads bytes into the buffer, for `withLoaded`: for a producer that must not wait for the
    /// consumer.
    /// - Parameters:
    ///   - count: how many there may be, which may exceed `maxPieceBytes`.
    ///   - fill: returns how many there are.
    package func load(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        guard !isInUse else { return loaded = 0 }
        grow(to: count)
        let filled = unsafe fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
        loaded = max(0, min(count, filled))
    }

    /// Gives the bytes to `body` that were loaded last.
    package func withLoaded<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        isInUse = true
        defer { isInUse = false }
        return try unsafe body(RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: memory[..<loaded])))
    }

    /// Gives bytes to `body` that `fill` has put there; as `load` and `withLoaded`, and from
    /// another buffer while this one is being used further up the stack.
    package func withBytes<Result, Failure: Error>(
        count: Int, fill: (UnsafeMutableRawBufferPointer) -> Int, _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard !isInUse else { return try unsafe ReadBuffer().withBytes(count: count, fill: fill, body) }
        unsafe load(count: count, fill)
        return try withLoaded(body)
    }

    /// Whether this is the first large piece: new pages for it would cost more than those of the mapping, and a lookup of one address reads
    /// one unit.
    private func isFirstLarge(_ range: Range<Int>) -> Bool {
        guard !wasNeeded, range.count >= Self.minMappedBytes else { return false }
        wasNeeded = true
        return true
    }

    /// Size from which the first piece is read through the mapping: the kernel maps 64 KB around a fault.
    private static let minMappedBytes = 64 << 10

    private func fill(from file: MappedFile, _ range: Range<Int>) -> Bool {
        grow(to: range.count)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<range.count])
        return unsafe file.read(at: FileOffset(UInt64(range.lowerBound)), into: piece) == range.count
    }

    private func grow(to count: Int) {
        guard capacity < count else { return }
        unsafe memory.deallocate()
        // An eighth more than is needed, so that pieces of growing size do not allocate each time;
        // doubled, the largest unit of each thread was most of a process.
        capacity = count < Self.maxPieceBytes ? min(count + count / 8, Self.maxPieceBytes) : count
        unsafe memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        populate()
    }

    /// Has the kernel bring all pages at once: one by one as they are written, each costs a fault,
    /// and those cost more than the copy. Linux 5.14 and later; others bring them as before.
    private func populate() {
        #if os(Linux)
            let page = Int(getpagesize())
            guard capacity >= 16 * page, let start = unsafe memory.baseAddress else { return }
            let first = unsafe start.alignedUp(toMultipleOf: page)
            let length = unsafe (start + capacity - first) / page * page
            unsafe _ = madvise(first, length, 23)  // MADV_POPULATE_WRITE
        #endif
    }
}
