internal import BinaryPrimitives
internal import Decompression

/// Compressed bytes in a file, decoded in pieces: neither the compressed nor the decoded bytes are
/// ever in memory as a whole.
@safe struct CompressedBytes: ~Copyable {
    private let file: MappedFile
    private var input: InputPieces
    private var decoder: any Decoder
    /// Zstandard frames may follow one another; deflate and XZ end once.
    private let hasFrames: Bool
    private(set) var isAtEnd = false
    /// Parts that threads inflate ahead of this reader.
    private var ahead: InflationAhead?

    /// Compressed bytes that are read at once.
    private static let inputSize = 256 << 10

    init(file: MappedFile, _ range: Range<Int>, _ decoder: any Decoder, hasFrames: Bool = false) {
        self.file = file
        input = InputPieces(file, range, size: Self.inputSize)
        self.decoder = decoder
        self.hasFrames = hasFrames
    }

    deinit { ahead?.cancel() }

    /// Has threads inflate what comes later, as long as everything is read from first to last.
    ///
    /// Only for callers with idle processors: inflating ahead costs up to twice as much.
    /// - Parameter least: how many processors there have to be.
    mutating func inflateAhead(ifProcessors minCount: Int) {
        guard ahead == nil, input.rest.count >= InflationAhead.worthwhile, Parallel.processors >= minCount,
            let inflater = decoder as? ISALDecoder, ISALLibrary.beginsInside
        else { return }
        ahead = InflationAhead(file, input.rest, inflater.library)
    }

    /// Fills `buffer` from its start with the next decoded bytes.
    /// - Returns: how many there were: fewer than the buffer holds only at the end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(DecodingFailure) -> Int {
        var done = 0
        while done < buffer.count, !isAtEnd {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            if let copied = unsafe ahead?.copy(into: rest), copied > 0 {
                done += copied
                continue
            }
            if !input.hasPending, !input.isEmpty, !input.refill() { throw .damaged("they could not be read") }
            let start = input.position
            let limit = ahead?.limit(at: start) ?? .max
            let decoder = decoder
            let step = unsafe try input.withPending(maxCount: limit - start) { (given: UnsafeRawBufferPointer) throws(DecodingFailure) in
                unsafe try decoder.decode(given, into: rest)
            }
            done += step.produced
            input.advance(by: step.consumed)
            if step.isAtEnd, input.isEmpty || !hasFrames {
                isAtEnd = true
            } else if step.consumed == 0, step.produced == 0, !step.isAtEnd {
                if start >= limit {
                    continueAfterPart()
                    continue
                }
                throw .damaged(input.isEmpty ? "they end early" : "they cannot be followed")
            }
        }
        return done
    }

    /// A position from which decoding can be resumed.
    struct Checkpoint {
        /// How many bytes had been decoded.
        let produced: Int
        fileprivate let unread: Range<Int>
        fileprivate let decoder: any Decoder
    }

    /// The current position; `nil` if the decoder cannot keep its state, or is further.
    /// - Parameter produced: the bytes that were decoded so far.
    func checkpoint(at produced: Int) -> Checkpoint? {
        guard !isAtEnd, ahead?.isEmpty ?? true, let copy = decoder.copy() else { return nil }
        return Checkpoint(produced: produced, unread: input.rest, decoder: copy)
    }

    mutating func resume(at checkpoint: Checkpoint) throws(DecodingFailure) {
        // The saved state stays unchanged, for the next rewind.
        guard let copy = checkpoint.decoder.copy() else { throw .outOfMemory }
        decoder = copy
        // A reader that went back once is likely to do so again.
        ahead?.cancel()
        ahead = nil
        input.restart(at: checkpoint.unread)
        isAtEnd = false
    }

    /// Continues after the bytes that a thread has inflated from here on.
    private mutating func continueAfterPart() {
        let rest = input.rest
        guard let inflater = decoder as? ISALDecoder, let next = ahead?.finishPart(after: inflater, at: rest.lowerBound) else { return }
        decoder = next.decoder
        input.restart(at: next.position..<rest.upperBound)
    }
}
