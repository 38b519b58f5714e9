/// SHA-1 (FIPS 180-4, section 6.1) of bytes that come piece by piece. Protocols of others name files by it; nothing here trusts it with a secret.
package struct SHA1: Sendable {
    private var state: [5 of UInt32] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
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
            let block = rest
            Self.compress(block.span, from: 0, into: &state)
            rest.removeAll(keepingCapacity: true)
        }
        while bytes.count - start >= 64 {
            Self.compress(bytes.span, from: start, into: &state)
            start += 64
        }
        rest += bytes[start...]
    }

    /// The 20 bytes of the digest, in 40 hexadecimal digits.
    package func finish() -> String {
        var last = self
        // Section 5.1.1: one bit, zeros, and the length in bits, so that the sum fills blocks.
        let zeros = (119 - rest.count) % 64
        let length = (0..<8).map { UInt8(truncatingIfNeeded: (byteCount &* 8) >> (56 - 8 * $0)) }
        last.update([0x80] + [UInt8](repeating: 0, count: zeros) + length)
        return (0..<5).map { index in
            let digits = String(last.state[index], radix: 16)
            return String(repeating: "0", count: 8 - digits.utf8.count) + digits
        }.joined()
    }

    private static func compress(_ bytes: Span<UInt8>, from start: Int, into state: inout [5 of UInt32]) {
        // Section 6.1.3: the schedule in 16 words that are replaced one after another.
        var words: [16 of UInt32] = .init(repeating: 0)
        for index in 0..<16 {
            let at = start + 4 * index
            words[index] = UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for round in 0..<80 {
            let slot = round & 15
            if round >= 16 {
                let mixed = words[(round - 3) & 15] ^ words[(round - 8) & 15] ^ words[(round - 14) & 15] ^ words[slot]
                words[slot] = rotate(mixed, 1)
            }
            let (function, constant): (UInt32, UInt32) =
                switch round {
                case ..<20: (b & c ^ ~b & d, 0x5a82_7999)
                case ..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case ..<60: (b & c ^ b & d ^ c & d, 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = rotate(a, 5) &+ function &+ e &+ constant &+ words[slot]
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value << count | value >> (32 - count) }
}
