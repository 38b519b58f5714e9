/// Addresses in ascending order that are searched again and again for the one at or after another:
/// by every search for symbols, functions and ranges.
///
/// A table over equal shares of their span leads to the few that a search is left with: some
/// thousand addresses cost a symbol ten instructions instead of a hundred.
package struct SortedAddresses: Sendable {
    /// Ascending.
    package let values: [UInt64]
    /// For each share the first address that is not below its beginning; and the count after the
    /// last share.
    @usableFromInline let firsts: [Int32]
    @usableFromInline let base: UInt64
    @usableFromInline let shift: UInt64

    /// - Parameter values: ascending.
    package init(_ values: [UInt64]) {
        self.values = values
        base = values.first ?? 0
        let span = (values.last ?? 0) - base
        // Twice as many shares as addresses: a table that is no larger than they are.
        let maxShares = UInt64(max(1, min(values.count, 1 << 20))) * 2
        var shift: UInt64 = 0
        while span >> shift >= maxShares { shift += 1 }
        self.shift = shift
        let shares = Int(span >> shift) + 1
        var firsts = [Int32](repeating: 0, count: shares + 1)
        var index = 0
        for share in 0..<shares {
            let beginning = base + UInt64(share) << shift
            while index < values.count, values[index] < beginning { index += 1 }
            firsts[share] = Int32(clamping: index)
        }
        firsts[shares] = Int32(clamping: values.count)
        self.firsts = firsts
    }

    @inlinable package var count: Int { values.count }

    /// The index of the first address that is not below `value`; `count` if all are.
    @inlinable
    package func firstIndex(notBelow value: UInt64) -> Int {
        guard value > base else { return 0 }
        let distance = (value &- base) >> shift
        guard distance < UInt64(firsts.count &- 1) else { return values.count }
        let share = Int(truncatingIfNeeded: distance)
        var low = Int(firsts[share])
        var high = Int(firsts[share &+ 1])
        while low < high {
            let middle = low &+ (high &- low) / 2
            if values[middle] < value { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
