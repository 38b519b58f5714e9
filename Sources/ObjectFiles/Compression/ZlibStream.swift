internal import BinaryPrimitives
internal import CZlib

/// Inflates one zlib stream (RFC 1950) that lies in a file, in pieces: neither its compressed nor its inflated bytes are ever in memory as a whole.
@safe struct ZlibStream: ~Copyable {
    enum Failure: Error {
        /// zlib refuses the bytes: its own words, or its code.
        case damaged(String)
        case outOfMemory
    }

    private let file: MappedFile
    /// The compressed bytes that have not been read yet.
    private var unread: Range<Int>
    // zlib's state points back at the stream, so its place in memory must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private let input: UnsafeMutableRawBufferPointer
    private(set) var isAtEnd = false

    /// Compressed bytes that are read at once.
    private static let inputSize = 256 << 10

    init(file: MappedFile, _ range: Range<Int>) throws(Failure) {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15: the largest window, as every writer of these sections uses; a zlib header is expected.
        guard unsafe cairn_inflateInit2(stream, 15) == Z_OK else {
            unsafe stream.deallocate()
            throw .outOfMemory
        }
        self.file = file
        unread = range
        unsafe self.stream = stream
        unsafe input = .allocate(byteCount: min(Self.inputSize, max(1, range.count)), alignment: 16)
    }

    deinit {
        unsafe _ = inflateEnd(stream)
        unsafe stream.deallocate()
        unsafe input.deallocate()
    }

    /// Fills `buffer` from its start with the next inflated bytes.
    /// - Returns: how many there were: fewer than the buffer holds only at the end of the stream.
    mutating func inflate(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
        var done = 0
        while done < buffer.count, !isAtEnd {
            // With all input read, zlib may still hold output back; it says so itself when it has none.
            if unsafe stream.pointee.avail_in == 0, !unread.isEmpty { try refill() }
            // zlib counts in 32 bits.
            let room = min(buffer.count - done, 1 << 30)
            unsafe stream.pointee.next_out = buffer.baseAddress.map { unsafe ($0 + done).assumingMemoryBound(to: Bytef.self) }
            unsafe stream.pointee.avail_out = uInt(room)
            let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            done += unsafe room - Int(stream.pointee.avail_out)
            switch code {
            case Z_OK: break
            case Z_STREAM_END: isAtEnd = true
            case Z_MEM_ERROR: throw .outOfMemory
            case Z_BUF_ERROR: throw .damaged("they end early")
            default: throw .damaged(message ?? "zlib's error \(code)")
            }
        }
        return done
    }

    private var message: String? {
        guard let text = unsafe stream.pointee.msg else { return nil }
        return unsafe String(cString: text)
    }

    private mutating func refill() throws(Failure) {
        let count = unsafe min(unread.count, input.count)
        let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: input[..<count])
        guard count > 0, unsafe file.read(at: FileOffset(UInt64(unread.lowerBound)), into: piece) == count else {
            throw .damaged("they could not be read")
        }
        unread = unread.lowerBound + count..<unread.upperBound
        unsafe stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: Bytef.self)
        unsafe stream.pointee.avail_in = uInt(count)
    }
}
