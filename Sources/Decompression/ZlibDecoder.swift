internal import CZlib

/// zlib's inflater: one zlib stream (RFC 1950), the deflate blocks of one (RFC 1951), or gzip's
/// members, one after the other (RFC 1952).
@safe package final class ZlibDecoder: Decoder {
    // zlib's state points back at the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Format around the deflate blocks; the raw value is `inflateInit2`'s for the largest window,
    /// which every writer uses.
    package enum Wrapper: Int32 {
        case zlib = 15
        case none = -15
        case gzip = 31
    }

    private var isAtEnd = false
    package private(set) var written = 0

    package init(_ wrapper: Wrapper = .zlib) throws(DecodingFailure) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe cairn_inflateInit2(stream, wrapper.rawValue) == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        unsafe self.stream = stream
    }

    private init?(copying other: ZlibDecoder) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        guard unsafe inflateCopy(stream, other.stream) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
        unsafe self.stream = stream
        isAtEnd = other.isAtEnd
    }

    package func copy() -> (any Decoder)? { ZlibDecoder(copying: self) }

    deinit {
        unsafe _ = inflateEnd(stream)
        unsafe stream.deallocate()
    }

    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(DecodingFailure) -> DecodingStep {
        if isAtEnd {
            // Another member.
            unsafe _ = inflateReset(stream)
            isAtEnd = false
        }
        // zlib counts in 32 bits.
        let available = min(input.count, 1 << 30)
        let room = min(output.count, 1 << 30)
        unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_in = uInt(available)
        unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_out = uInt(room)
        let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        let consumed = unsafe available - Int(stream.pointee.avail_in)
        let produced = unsafe room - Int(stream.pointee.avail_out)
        written = produced
        switch code {
        // Z_BUF_ERROR: nothing could be done without more input.
        case Z_OK, Z_BUF_ERROR: return DecodingStep(consumed: consumed, produced: produced, isAtEnd: false)
        case Z_STREAM_END:
            isAtEnd = true
            return DecodingStep(consumed: consumed, produced: produced, isAtEnd: true)
        case Z_MEM_ERROR: throw .outOfMemory
        case Z_NEED_DICT: throw .damaged("they need a dictionary, which is missing")
        default: throw .damaged(message ?? "zlib's error \(code)")
        }
    }

    private var message: String? {
        guard let text = unsafe stream.pointee.msg else { return nil }
        return unsafe String(cString: text)
    }
}
