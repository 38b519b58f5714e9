internal import BinaryPrimitives
internal import CZlib

extension RawSpan {
    /// ZIP's and gzip's CRC-32 (zlib's `crc32`).
    var checksum: UInt32 {
        unsafe withUnsafeBytes { bytes in
            var sum: uLong = 0
            var done = 0
            // zlib counts in 32 bits.
            while done < bytes.count {
                let count = min(bytes.count - done, 1 << 30)
                unsafe sum = crc32(sum, bytes.baseAddress.map { unsafe ($0 + done).assumingMemoryBound(to: Bytef.self) }, uInt(count))
                done += count
            }
            return UInt32(truncatingIfNeeded: sum)
        }
    }
}
