internal import CBzip2

/// libbz2's decoder: `.bz2` streams, one after the other. It uses up to 4 MB.
@safe package final class Bzip2Decoder: Decoder {
    // The library's state points back at the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<bz_stream>
    private var isAtEnd = false
    package private(set) var written = 0

    package init() throws(DecodingFailure) {
        let stream = UnsafeMutablePointer<bz_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: bz_stream())
        guard unsafe BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        unsafe self.stream = stream
    }

    deinit {
        unsafe _ = BZ2_bzDecompressEnd(stream)
        unsafe stream.deallocate()
    }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        if isAtEnd {
            // Another stream. The library has no reset.
            unsafe _ = BZ2_bzDecompressEnd(stream)
            unsafe stream.pointee = bz_stream()
            guard unsafe BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK else { throw .outOfMemory }
            isAtEnd = false
        }
        // It counts in 32 bits.
        let available = min(input.count, 1 << 30)
        let room = min(output.count, 1 << 30)
        // It only reads the input, and has no `const`.
        unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
        unsafe stream.pointee.avail_in = UInt32(available)
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        unsafe stream.pointee.avail_out = UInt32(room)
        let code = unsafe BZ2_bzDecompress(stream)
        let consumed = unsafe available - Int(stream.pointee.avail_in)
        let produced = unsafe room - Int(stream.pointee.avail_out)
        written = produced
        switch code {
        case BZ_OK: return DecodingStep(consumed: consumed, produced: produced, isAtEnd: false)
        case BZ_STREAM_END:
            isAtEnd = true
            return DecodingStep(consumed: consumed, produced: produced, isAtEnd: true)
        case BZ_MEM_ERROR: throw .outOfMemory
        case BZ_DATA_ERROR_MAGIC: throw .damaged("they are not a bzip2 stream")
        default: throw .damaged("bzip2's checksum does not match")
        }
    }
}
