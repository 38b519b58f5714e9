internal import BinaryPrimitives

/// Zero-terminated texts one behind the other, each once.
struct TextTable {
    private(set) var bytes: [UInt8] = []
    /// Places of texts, plus 1, by their hashes (a hash table with open addressing); 0: free.
    private var slots: [UInt32]
    private var count = 0

    /// - Parameter expected: about how many texts there will be.
    init(expected: Int) {
        var size = 1 << 12
        while size < 2 * expected { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// Where a text begins. It is repaired where it is no UTF-8 and cut where it is too long, as for a lookup.
    mutating func place(of text: RawSpan) -> UInt32 {
        var isASCII = true
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in 0..<text.byteCount {
            let byte = text.byte(at: index)
            if byte >= 0x80 { isASCII = false }
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        guard isASCII, text.byteCount < Limits.standard.nameLength else {
            return place(of: text.prefix(Limits.standard.nameLength).string())
        }
        return place(of: text, hash)
    }

    /// - Parameter text: without zeros.
    mutating func place(of text: String) -> UInt32 {
        let bytes = Array(text.utf8)
        let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return place(of: bytes.span.rawBytes, hash)
    }

    private mutating func place(of text: RawSpan, _ hash: UInt64) -> UInt32 {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
        while slots[slot] != 0 {
            if isEqual(text, Int(slots[slot]) - 1) { return slots[slot] - 1 }
            slot = (slot + 1) & mask
        }
        let place = UInt32(truncatingIfNeeded: bytes.count)
        slots[slot] = place &+ 1
        bytes.append(copying: text.text)
        bytes.append(0)
        count += 1
        if count * 2 > slots.count { grow() }
        return place
    }

    private func isEqual(_ text: RawSpan, _ place: Int) -> Bool {
        guard place + text.byteCount < bytes.count, bytes[place + text.byteCount] == 0 else { return false }
        for index in 0..<text.byteCount where bytes[place + index] != text.byte(at: index) { return false }
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt32](repeating: 0, count: old.count * 2)
        let mask = slots.count - 1
        for entry in old where entry != 0 {
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            var index = Int(entry) - 1
            while bytes[index] != 0 {
                hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
                index += 1
            }
            var slot = Int(truncatingIfNeeded: hash ^ hash >> 32) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = entry
        }
    }
}
