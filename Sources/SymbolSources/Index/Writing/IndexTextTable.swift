internal import BinaryPrimitives

/// Zero-terminated texts, one after the other, without duplicates.
struct IndexTextTable {
    private(set) var bytes: [UInt8] = []
    /// Hash table with open addressing: the lower half of a slot is a text's offset plus 1, the upper half is
    /// the upper half of its hash, so that other texts are not compared; 0: free.
    private var slots: [UInt64]
    private var count = 0

    /// - Parameter expected: about how many texts there will be.
    init(expected: Int) {
        var size = 1 << 12
        while size / 4 * 3 < expected { size *= 2 }
        slots = [UInt64](repeating: 0, count: size)
        // An array that grows exists twice for a moment. Pages that are never written take no memory.
        bytes.reserveCapacity(min(expected * Self.averageLength, Self.maxReserved))
    }

    /// Length in bytes that is above the average of all names of a program.
    private static let averageLength = 128
    /// Maximum number of bytes that are reserved; longer tables grow.
    private static let maxReserved = 64 << 20

    /// Returns the offset of a text, which is added if it is new. Invalid UTF-8 is repaired, and a text that is
    /// too long is cut, as for a lookup.
    mutating func offset(of text: RawSpan) -> UInt32 {
        let (hash, isASCII) = Self.hash(of: text)
        guard isASCII, text.byteCount < Limits.standard.nameLength else {
            return offset(of: text.prefix(Limits.standard.nameLength).string())
        }
        return offset(of: text, hash)
    }

    /// - Parameter text: without zeros.
    mutating func offset(of text: String) -> UInt32 {
        let bytes = Array(text.utf8)
        return offset(of: bytes.span.rawBytes, Self.hash(of: bytes.span.rawBytes).hash)
    }

    /// FNV-1a over words of eight bytes, with its upper half folded into the lower, which chooses
    /// the slot; and whether no byte is above 0x7f.
    private static func hash(of text: RawSpan) -> (hash: UInt64, isASCII: Bool) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        var all: UInt64 = 0
        var index = 0
        while index < text.byteCount {
            let left = text.byteCount &- index
            let word = left >= 8 ? text.word64(at: index) : text.bits(at: index &* 8, left &* 8)
            all |= word
            hash = (hash ^ word) &* 0x100_0000_01b3
            hash ^= hash &>> 32
            index &+= 8
        }
        return (hash, all & 0x8080_8080_8080_8080 == 0)
    }

    private mutating func offset(of text: RawSpan, _ hash: UInt64) -> UInt32 {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        while slots[slot] != 0 {
            let offset = Self.offset(slots[slot])
            if slots[slot] >> 32 == hash >> 32, isEqual(text, Int(offset)) { return offset }
            slot = (slot + 1) & mask
        }
        let offset = UInt32(truncatingIfNeeded: bytes.count)
        slots[slot] = (hash & ~0xffff_ffff) | UInt64(offset &+ 1)
        bytes.append(copying: text.text)
        bytes.append(0)
        count += 1
        if count > slots.count / 4 * 3 { grow() }
        return offset
    }

    private static func offset(_ slot: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: slot) &- 1 }

    private func isEqual(_ text: RawSpan, _ offset: Int) -> Bool {
        guard offset + text.byteCount < bytes.count, bytes[offset + text.byteCount] == 0 else { return false }
        let known = bytes.span.rawBytes
        var index = 0
        while index &+ 8 <= text.byteCount {
            if known.word64(at: offset &+ index) != text.word64(at: index) { return false }
            index &+= 8
        }
        let left = (text.byteCount &- index) &* 8
        return known.bits(at: (offset &+ index) &* 8, left) == text.bits(at: index &* 8, left)
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        for entry in old where entry != 0 {
            let start = Int(Self.offset(entry))
            var end = start
            while bytes[end] != 0 { end += 1 }
            let hash = Self.hash(of: bytes.span.rawBytes.clamped(to: start..<end)).hash
            var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = entry
        }
    }
}
