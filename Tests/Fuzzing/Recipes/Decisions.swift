/// A fuzzer's bytes taken as decisions, one after another: zeros when they are used up, so that
/// every input decides everything.
package struct Decisions {
    private let bytes: [UInt8]
    private var position = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var isUsedUp: Bool { position >= bytes.count }

    package mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// A number below `count`, which is at most 256.
    package mutating func below(_ count: Int) -> Int { Int(byte()) % max(1, count) }

    package mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    /// Once in `count` times, and never when the bytes are used up.
    package mutating func isOne(in count: Int) -> Bool { byte() % UInt8(clamping: count) == 1 }

    /// Mostly small; sometimes one of the numbers at which arithmetic overflows, or any.
    package mutating func number() -> UInt64 {
        let first = byte()
        switch first {
        case ..<0xe0: return UInt64(first)
        case ..<0xf0: return UInt64(first & 15) << 8 | UInt64(byte())
        case ..<0xfc:
            let edges: [UInt64] = [
                0x7f, 0x80, 0x3fff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff, 0x1_0000_0000, 1 << 62, 1 << 63,
                .max,
                .max - 1, .max - 8, .max >> 1,
            ]
            return pick(edges)
        default: return (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) }
        }
    }

    /// Up to `limit` bytes as they are.
    package mutating func readBytes(_ limit: Int) -> [UInt8] {
        let part = bytes[position..<min(bytes.count, position + max(0, limit))]
        position += part.count
        return Array(part)
    }
}
