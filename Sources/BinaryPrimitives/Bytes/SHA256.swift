internal import CCairn

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece.
///
/// Implemented here, because a cryptography library needs longer to build than the rest of the
/// core; it names logs and styles, and no secret depends on it.
package struct SHA256: Sendable {
    /// H0 of section 5.3.3: the first 32 bits of the fractional parts of the square roots of the
    /// first 8 primes.
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// The bytes after the last complete block: fewer than 64.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    package init() {}

    package mutating func update(_ bytes: [UInt8]) {
        byteCount &+= UInt64(bytes.count)
        var start = 0
        if !rest.isEmpty {
            start = min(64 - rest.count, bytes.count)
            rest += bytes[..<start]
            guard rest.count == 64 else { return }
            compress(rest, from: 0)
            rest.removeAll(keepingCapacity: true)
        }
        rest += bytes[compress(bytes, from: start)...]
    }

    /// The 32 bytes of the digest. The hasher is unchanged, and accepts more bytes.
    package func finish() -> [UInt8] {
        var last = self
        // Section 5.1.1: one bit, zeros, and the length in bits, so that the sum fills blocks.
        let zeros = (119 - rest.count) % 64
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (byteCount &* 8) >> (56 - 8 * $0)) }
        last.update([0x80] + [UInt8](repeating: 0, count: zeros) + length)
        return last.state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }

    /// Hashes the complete blocks from `start` on.
    /// - Returns: the offset of the first byte after them.
    @discardableResult
    private mutating func compress(_ bytes: [UInt8], from start: Int) -> Int {
        let blocks = (bytes.count - start) / 64
        guard blocks > 0 else { return start }
        unsafe bytes.withUnsafeBufferPointer { buffer in
            guard let first = buffer.baseAddress else { return }
            unsafe cairn_sha256_compress(&state, first + start, blocks)
        }
        return start + blocks * 64
    }
}
