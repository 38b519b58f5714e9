internal import BinaryPrimitives
internal import Decompression

/// Inflates parts of a zlib stream on threads, ahead of a reader that reads from first to last: one
/// part after the other, each while the reader is still in front of it.
struct InflationsAhead {
    private let file: MappedFile
    /// The stream's bytes in the file.
    private let range: Range<Int>
    private let library: ISALLibrary
    private let pool = ChunkPool()
    private var part: InflationAhead?
    /// Chunks of the last finished part, and how much of them was copied out.
    private var chunks: [InflationAhead.Chunk] = []
    private var first = 0
    private var offset = 0
    /// Number of consecutive parts that gave no chunks.
    private var failures = 0

    /// Compressed bytes between the reader and the part that is begun: the thread decodes the first
    /// bytes of a part twice, until they are independent of the window, which is then a small
    /// share.
    private static let distance = 2 << 20
    /// Compressed bytes that are read before the first thread is started: many lookups need no
    /// more.
    private static let least = 512 << 10
    /// Compressed bytes at the end that the reader decodes: the checksum after them is its
    /// business.
    private static let tail = 64 << 10
    /// Compressed bytes of a stream in which there is time for a part.
    static let worthwhile = least + distance + distance / 2 + tail
    /// A stream without blocks of the kind that is looked for is decoded by the reader alone.
    private static let maxFailures = 3

    init(_ file: MappedFile, _ range: Range<Int>, _ library: ISALLibrary) {
        self.file = file
        self.range = range
        self.library = library
    }

    /// Whether there are decoded bytes that come before what the reader's decoder decodes next.
    var isEmpty: Bool { first == chunks.count }

    /// Copies the next decoded bytes out.
    /// - Returns: number of bytes; 0 if there are none.
    mutating func copy(into target: UnsafeMutableRawBufferPointer) -> Int {
        guard first < chunks.count else { return 0 }
        let chunk = chunks[first]
        let count = min(target.count, chunk.count - offset)
        unsafe target.copyBytes(from: chunk.memory.bytes[offset..<offset + count])
        offset += count
        if offset == chunk.count {
            pool.recycle(chunk.memory)
            (first, offset) = (first + 1, 0)
        }
        return count
    }

    /// The byte of the file up to which the reader may decode; `nil` if nothing limits it.
    /// - Parameter position: the byte of the file that its decoder gets next.
    mutating func limit(at position: Int) -> Int? {
        if part == nil, position >= range.lowerBound + Self.least { begin(after: position) }
        guard let part else { return nil }
        guard part.start == nil, position >= part.limit else { return part.limit }
        // The reader was faster than the search.
        drop()
        return nil
    }

    /// Uses the decoded chunks of the part, if it begins at the position of the reader's decoder.
    /// - Parameter position: the byte of the file that this decoder would get next.
    /// - Returns: the decoder that continues, and the offset of the byte of the file that it gets
    ///   next; `nil` if the reader's own decoder continues.
    mutating func finishPart(after decoder: ISALDecoder, at position: Int) -> (decoder: ISALDecoder, position: Int)? {
        guard let part, let start = part.start, decoder.bitsOfNextBlock == position * 8 - start, let window = decoder.window,
            let outcome = part.finish()
        else {
            drop()
            return nil
        }
        self.part = nil
        failures = 0
        begin(after: outcome.position)
        var checksum = decoder.checksum
        for chunk in outcome.chunks {
            chunk.resolve(window: window)
            checksum = unsafe library.checksum(checksum, chunk.bytes)
        }
        (chunks, first, offset) = (outcome.chunks, 0, 0)
        return unsafe (outcome.inflater.anchored(window: window, checksum: checksum), outcome.position)
    }

    /// Stops inflating ahead.
    func cancel() { part?.cancel() }

    private mutating func drop() {
        part?.cancel()
        part = nil
        failures += 1
    }

    private mutating func begin(after position: Int) {
        let (start, end) = (position + Self.distance, range.upperBound - Self.tail)
        guard start + Self.distance / 2 < end, failures < Self.maxFailures else { return }
        part = InflationAhead(file, start..<end, library, pool)
        if part == nil { failures = Self.maxFailures }
    }
}
