/// The keys of names by the entries of a unit that calls refer to: a cache, because a few functions
/// are called again and again.
///
/// An entry has one slot, which the next one with the same slot takes over.
struct OriginKeys {
    private static let bits: UInt32 = 12
    private var entries = [UInt32](repeating: .max, count: 1 << Int(bits))
    private var keys = [UInt32](repeating: 0, count: 1 << Int(bits))

    mutating func removeAll() {
        for index in entries.indices { entries[index] = .max }
    }

    /// - Parameter entry: bytes from the unit's header.
    /// - Returns: `nil` where the key has to be searched.
    func key(of entry: UInt32) -> UInt32? {
        let slot = Self.slot(of: entry)
        return entries[slot] == entry && entry != .max ? keys[slot] : nil
    }

    mutating func keep(_ key: UInt32, of entry: UInt32) {
        let slot = Self.slot(of: entry)
        entries[slot] = entry
        keys[slot] = key
    }

    /// By the highest bits of the product with 2^32 divided by the golden ratio, which spreads
    /// neighbours (Knuth, volume 3, section 6.4).
    @inline(__always)
    private static func slot(of entry: UInt32) -> Int { Int(truncatingIfNeeded: (entry &* 0x9e37_79b9) >> (32 - bits)) }
}
