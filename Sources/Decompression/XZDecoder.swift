internal import CLZMA

/// liblzma's decoder: `.xz` streams, one after the other.
@safe package final class XZDecoder: Decoder {
    // The library's state may point back at the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<lzma_stream>
    private let memory: UInt64
    private var isAtEnd = false
    package private(set) var written = 0

    /// - Parameter memory: bytes that the decoder may take. Its need is in the file's header: 64 MB
    ///   for `xz -9`, 1.5 GB at the most.
    package init(memory: Int) throws(DecodingFailure) {
        let stream = UnsafeMutablePointer<lzma_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: cairn_lzma_stream())
        guard unsafe lzma_stream_decoder(stream, UInt64(memory), 0) == LZMA_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        unsafe self.stream = stream
        self.memory = UInt64(memory)
    }

    deinit {
        unsafe lzma_end(stream)
        unsafe stream.deallocate()
    }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        if isAtEnd {
            // Another stream: the handle is initialised again, which keeps its memory.
            guard unsafe lzma_stream_decoder(stream, memory, 0) == LZMA_OK else { throw .outOfMemory }
            isAtEnd = false
        }
        unsafe stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = input.count
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = output.count
        let code = unsafe lzma_code(stream, LZMA_RUN)
        let consumed = unsafe input.count - stream.pointee.avail_in
        let produced = unsafe output.count - stream.pointee.avail_out
        written = produced
        switch code {
        // LZMA_BUF_ERROR: nothing could be done without more input.
        case LZMA_OK, LZMA_BUF_ERROR: return DecodingStep(consumed: consumed, produced: produced, isAtEnd: false)
        case LZMA_STREAM_END:
            isAtEnd = true
            return DecodingStep(consumed: consumed, produced: produced, isAtEnd: true)
        case LZMA_MEM_ERROR: throw .outOfMemory
        case LZMA_MEMLIMIT_ERROR: throw .damaged("they need more than \(memory) bytes of memory to be unpacked")
        case LZMA_FORMAT_ERROR: throw .damaged("they are not an XZ file")
        case LZMA_OPTIONS_ERROR: throw .damaged("they use an option of XZ that the library does not support")
        default: throw .damaged("XZ's checksum does not match")
        }
    }
}
