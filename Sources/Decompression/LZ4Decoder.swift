internal import CLZ4

/// liblz4's decoder: LZ4 frames, one after the other. It uses at most 8 MB, twice the largest
/// block.
@safe package final class LZ4Decoder: Decoder {
    private let context: OpaquePointer
    package private(set) var written = 0

    package init() throws(DecodingFailure) {
        var context: OpaquePointer?
        let code = unsafe LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        guard LZ4F_isError(code) == 0, let context = unsafe context else { throw .outOfMemory }
        unsafe self.context = context
    }

    deinit { unsafe _ = LZ4F_freeDecompressionContext(context) }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        var (consumed, produced) = (input.count, output.count)
        let code = unsafe LZ4F_decompress(context, output.baseAddress, &produced, input.baseAddress, &consumed, nil)
        written = produced
        if LZ4F_isError(code) != 0 {
            written = 0
            throw .damaged(unsafe String(cString: LZ4F_getErrorName(code)))
        }
        // Zero: the frame is complete, and the context is ready for the next.
        return DecodingStep(consumed: consumed, produced: produced, isAtEnd: code == 0)
    }
}
