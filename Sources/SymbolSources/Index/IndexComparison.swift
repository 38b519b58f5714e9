package import BinaryPrimitives
internal import DWARF
package import ObjectFiles

/// Compares the results of an index with those of the file that it was made of.
package struct IndexComparison: Sendable {
    /// How many addresses were compared.
    package private(set) var compared = 0
    /// Addresses at which the results differ, ascending.
    package private(set) var differing: [LinkAddress] = []

    /// Compares both at the beginning and end of each function, symbol and piece with one result.
    package init(_ index: SymbolIndex, _ object: ObjectFile) {
        let addresses = index.bounds().sorted()
        let (file, indexed) = (ObjectSource([object]), IndexSource(index, [object]))
        // In batches, so that the results need not all be in memory.
        for start in stride(from: 0, to: addresses.count, by: 1 << 16) {
            let batch = addresses[start..<min(addresses.count, start + 1 << 16)].map(LinkAddress.init)
            var rows: [ResultDetails] = []
            let (first, second) = (file.frames(at: batch, details: &rows), indexed.frames(at: batch))
            let discriminators = index.discriminators(at: batch)
            for number in batch.indices
            where first[number] != second[number] || discriminators.map({ $0[number] != rows[number].discriminator }) ?? false {
                differing.append(batch[number])
            }
            compared += batch.count
        }
        if index.holdsCalls { compareCalls(index, object) }
    }

    private mutating func compareCalls(_ index: SymbolIndex, _ object: ObjectFile) {
        var (own, others): (Set<LinkAddress>, Set<LinkAddress>) = ([], [])
        index.forEachEntry { entry in
            own.insert(entry.returnAddress)
            return true
        }
        DWARFReader(object)?.forEachUnitsCallSites(targets: false) { unit in
            for entry in unit.entries { others.insert(entry.returnAddress) }
        }
        differing += own.symmetricDifference(others).sorted()
        compared += others.count
    }
}

extension SymbolIndex {
    /// Whether the index was made of this file, as far as its headers show.
    package func isMade(of object: ObjectFile) -> Bool { identity == object.identity && fingerprint == ImageFingerprint.of(object) }

    /// For each address which block of its line it is in; zero: not given.
    /// - Returns: `nil` of an index of a version without them.
    func discriminators(at addresses: [LinkAddress]) -> [UInt64]? {
        guard hasDiscriminators else { return nil }
        var discriminators = [UInt64](repeating: 0, count: addresses.count)
        forEachResult(at: addresses) { number, _, frames in
            if frames.count > 0 { discriminators[number] = UInt64(frames[0].discriminator) }
        }
        return discriminators
    }

    /// The first and the last address of each piece, and those beside them.
    func bounds() -> Set<UInt64> {
        var bounds: Set<UInt64> = []
        func add(_ address: UInt64) {
            bounds.insert(address &- 1)
            bounds.insert(address)
        }
        file.withBytes { bytes in
            for index in 0..<2 * count(of: .segments) { add(bytes.word64(at: self.tableOffset(.segments) + index * 8)) }
            for index in 0..<count(of: .symbolStarts) { add(bytes.word64(at: self.tableOffset(.symbolStarts) + index * 8)) }
            let search = IndexSearch(self)
            for block in 0..<count(of: .blockStarts) {
                for address in search.pieceBounds(ofBlock: block, bytes) { add(address) }
            }
        }
        return bounds
    }
}
