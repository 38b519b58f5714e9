internal import CZlib

/// Compresses a response piece by piece (gzip, RFC 1952), quickly rather than well: it is made for
/// one reader.
@safe final class GzipEncoder {
    private let stream: UnsafeMutablePointer<z_stream>
    private var isOpen = false

    init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 bits of window, 16 for gzip's header and trailer (zlib.h, deflateInit2).
        isOpen =
            unsafe deflateInit2_(stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            == Z_OK
        if !isOpen { return nil }
    }

    deinit {
        if isOpen { unsafe _ = deflateEnd(stream) }
        unsafe stream.deallocate()
    }

    /// - Parameter isLast: nothing follows these bytes.
    /// - Returns: the compressed bytes that can be sent so far.
    func encode(_ bytes: [UInt8], isLast: Bool) -> [UInt8] {
        var output: [UInt8] = []
        var bytes = bytes
        unsafe bytes.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
            let size = max(1 << 12, unsafe Int(deflateBound(stream, UInt(input.count))))
            repeat {
                unsafe output.append(
                    contentsOf: [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                        unsafe stream.pointee.next_out = buffer.baseAddress
                        unsafe stream.pointee.avail_out = UInt32(clamping: size)
                        unsafe _ = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
                        unsafe count = size - Int(stream.pointee.avail_out)
                    })
            } while unsafe stream.pointee.avail_out == 0
        }
        return output
    }
}
