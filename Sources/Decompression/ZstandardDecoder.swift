internal import CZstd

/// libzstd's decoder: Zstandard frames (RFC 8878), of which linkers that compress on several cores
/// write many, one after the other.
@safe package final class ZstandardDecoder: Decoder {
    private let stream: OpaquePointer
    package private(set) var written = 0

    package init() throws(DecodingFailure) {
        guard let stream = unsafe ZSTD_createDStream() else { throw .outOfMemory }
        unsafe self.stream = stream
    }

    deinit { unsafe _ = ZSTD_freeDStream(stream) }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        var from = unsafe ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        var to = unsafe ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
        // Windows of more than 128 MB are refused by the library itself (ZSTD_d_windowLogMax).
        let code = unsafe ZSTD_decompressStream(stream, &to, &from)
        unsafe written = to.pos
        guard ZSTD_isError(code) == 0 else {
            if ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation { throw .outOfMemory }
            throw .damaged(unsafe String(cString: ZSTD_getErrorName(code)))
        }
        // Zero: a frame is decoded and handed out. The next call would begin another one.
        return unsafe DecodingStep(consumed: from.pos, produced: to.pos, isAtEnd: code == 0)
    }
}
