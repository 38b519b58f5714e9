public import BinaryPrimitives
public import ObjectFiles

/// What an index says beside what the file says that it was made of.
public struct IndexComparison: Sendable {
    /// How many addresses were asked.
    public private(set) var compared = 0
    /// Where the answers differ, ascending.
    public private(set) var differing: [LinkAddress] = []

    /// Asks both where functions and symbols, and all pieces with one answer, begin and end.
    public init(_ index: SymbolIndex, _ object: ObjectFile) {
        let addresses = index.bounds().sorted()
        let (file, indexed) = (ObjectSource([object]), IndexSource(index, [object]))
        // In batches, so that the answers need not all be in memory.
        for start in stride(from: 0, to: addresses.count, by: 1 << 16) {
            let batch = addresses[start..<min(addresses.count, start + 1 << 16)].map(LinkAddress.init)
            for (address, (first, second)) in zip(batch, zip(file.frames(at: batch), indexed.frames(at: batch))) where first != second {
                differing.append(address)
            }
            compared += batch.count
        }
    }
}

extension SymbolIndex {
    /// Whether the index was made of this file, as far as its headers tell.
    public func isMade(of object: ObjectFile) -> Bool { identity == object.identity && fingerprint == ImageFingerprint.of(object) }

    /// The first and the last address of each piece, and those beside them.
    func bounds() -> Set<UInt64> {
        var bounds: Set<UInt64> = []
        func add(_ address: UInt64) {
            bounds.insert(address &- 1)
            bounds.insert(address)
        }
        file.withBytes { bytes in
            for place in 0..<2 * count(of: .segments) { add(bytes.word64(at: self.place(of: .segments) + place * 8)) }
            for place in 0..<count(of: .symbolStarts) { add(bytes.word64(at: self.place(of: .symbolStarts) + place * 8)) }
            let search = IndexSearch(self)
            for block in 0..<count(of: .blockStarts) {
                for address in search.pieceBounds(ofBlock: block, bytes) { add(address) }
            }
        }
        return bounds
    }
}
