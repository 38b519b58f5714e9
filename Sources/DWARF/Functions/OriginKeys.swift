/// The keys of names by the entries of a unit that calls refer to: a cache, because a few functions
/// are called again and again.
///
/// An entry has one place, which the next one with the same place takes over.
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
        let place = Self.place(of: entry)
        return entries[place] == entry && entry != .max ? keys[place] : nil
    }

    mutating func keep(_ key: UInt32, of entry: UInt32) {
        let place = Self.place(of: entry)
        entries[place] = entry
        keys[place] = key
    }

    /// By the highest bits of the product with 2^32 divided by the golden ratio, which spreads
    /// neighbours (Knuth, volume 3, section 6.4).
    @inline(__always)
    private static func place(of entry: UInt32) -> Int { Int(truncatingIfNeeded: (entry &* 0x9e37_79b9) >> (32 - bits)) }
}
