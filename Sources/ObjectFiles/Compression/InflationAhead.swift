internal import BinaryPrimitives
internal import Decompression
internal import Synchronization

/// A part of a zlib stream that is inflated on its own thread, while the reader of the stream is
/// still in front of it. It ends when the reader arrives, which uses the decoded chunks and
/// continues after them.
///
/// The reader decodes the stream up to the part, the thread from there on. One address of an
/// application with Qt takes 0.48 s so, and 0.67 s without, on two processors (medians of five).
final class InflationAhead: Sendable {
    /// Decoded bytes that wait for the reader of the stream.
    struct Chunk: Sendable {
        let memory: ChunkMemory
        /// How many bytes were decoded into it.
        var count: Int
        /// Whether `memory.other` has what the second decoder made of the same input.
        var isDouble: Bool
    }

    /// Chunks that were decoded when the reader arrived.
    struct Outcome: Sendable {
        var chunks: [Chunk]
        /// Handed over by the thread, which no longer uses it.
        nonisolated(unsafe) let inflater: UnanchoredInflater
        /// The first byte of the file that was not given to the decoder.
        var position: Int
    }

    private let file: MappedFile
    /// Bytes of the file.
    private let range: Range<Int>
    private let library: ISALLibrary
    private let pool: ChunkPool
    /// The first bit of the block with which it begins, counted from the file's beginning; -1 while
    /// it is looked for.
    private let found = Atomic(-1)
    private let isCaught = Atomic(false)
    private let outcomes = WorkQueue<Outcome>(most: 1)

    /// Maximum memory, in bytes, for chunks that are decoded before the reader arrives.
    private static let maxBytes = 8 << 20
    private static let inputSize = 128 << 10

    /// Starts a thread.
    /// - Parameter range: bytes of the file to decode; decoding starts at the first block in it and
    ///   stops at its end.
    /// - Returns: `nil` where no thread can be started.
    init?(_ file: MappedFile, _ range: Range<Int>, _ library: ISALLibrary, _ pool: ChunkPool) {
        self.file = file
        self.range = range
        self.library = library
        self.pool = pool
        let isStarted = Parallel.start { [self] in
            if let outcome = run() { _ = outcomes.add(outcome, weight: 1) }
            outcomes.close()
        }
        guard isStarted else { return nil }
    }

    /// Offset in the file up to which the reader decodes before it uses this part. While the first
    /// block is not found yet, the start of the search.
    var limit: Int { start.map { ($0 + 7) / 8 } ?? range.lowerBound }

    /// The first bit of the block with which it begins, counted from the file's beginning; `nil`
    /// while it is looked for.
    var start: Int? {
        let bit = found.load(ordering: .acquiring)
        return bit < 0 ? nil : bit
    }

    /// Ends it.
    func cancel() { isCaught.store(true, ordering: .releasing) }

    /// Stops the thread and waits for its decoded chunks; `nil` if it decoded nothing.
    func finish() -> Outcome? {
        cancel()
        return outcomes.next()
    }

    private func run() -> Outcome? {
        var input = InputPieces(file, range, size: Self.inputSize)
        guard input.refill() else { return nil }
        let first = unsafe input.withPending { unsafe DeflateBlocks.firstStart(in: RawSpan(_unsafeBytes: $0)) }
        guard let bit = first, let byte = input.skip(to: bit >> 3) else { return nil }
        let inflater = UnanchoredInflater(library, byte: byte, bit: bit & 7)
        found.store(range.lowerBound * 8 + bit, ordering: .releasing)
        var chunks: [Chunk] = []
        var size = 0
        while !isCaught.load(ordering: .acquiring), size < Self.maxBytes {
            var chunk = Chunk(memory: pool.acquire(), count: 0, isDouble: !inflater.isAnchored)
            while chunk.count < ChunkMemory.size, input.hasPending || input.refill() {
                let step = unsafe input.withPending { unsafe chunk.decode($0, inflater) }
                guard let step, step.consumed > 0 || step.produced > 0, !step.isAtEnd else { return nil }
                input.advance(by: step.consumed)
                chunk.count += step.produced
            }
            guard chunk.count > 0 else { break }
            chunks.append(chunk)
            size += chunk.isDouble ? 2 * ChunkMemory.size : ChunkMemory.size
            if chunk.isDouble {
                unsafe inflater.anchor(after: chunk.bytes, and: chunk.otherBytes)
            }
            if chunk.count < ChunkMemory.size { break }
        }
        return Outcome(chunks: chunks, inflater: inflater, position: input.position)
    }
}

extension InflationAhead.Chunk {
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]) }
    fileprivate var otherBytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: memory.other[..<count]) }

    /// Decodes into the free part of the chunk.
    /// - Returns: `nil` if the bytes cannot be decoded.
    fileprivate func decode(_ input: UnsafeRawBufferPointer, _ inflater: UnanchoredInflater) -> DecodingStep? {
        unsafe try? inflater.decode(
            input, into: UnsafeMutableRawBufferPointer(rebasing: memory.bytes[count...]),
            and: UnsafeMutableRawBufferPointer(rebasing: memory.other[count...]))
    }

    /// Puts in the bytes of the window, once it is known.
    func resolve(window: [UInt8]) {
        guard isDouble else { return }
        unsafe UnanchoredInflater.resolve(
            UnsafeMutableRawBufferPointer(rebasing: memory.bytes[..<count]), otherBytes, window: window)
    }
}

/// Memory for decoded bytes, and for what a second decoder makes of the same input.
@safe final class ChunkMemory: Sendable {
    static let size = 128 << 10
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    nonisolated(unsafe) let other: UnsafeMutableRawBufferPointer

    init() {
        unsafe bytes = .allocate(byteCount: Self.size, alignment: 64)
        unsafe other = .allocate(byteCount: Self.size, alignment: 64)
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe other.deallocate()
    }
}

/// Memory that was used, so that its pages are there for the next one.
final class ChunkPool: Sendable {
    private let free = Mutex<[ChunkMemory]>([])

    func acquire() -> ChunkMemory { free.withLock { $0.popLast() } ?? ChunkMemory() }
    func recycle(_ memory: ChunkMemory) { free.withLock { $0.append(memory) } }
}
