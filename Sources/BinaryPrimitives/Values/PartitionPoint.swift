extension Range<Int> {
    /// Binary search (C++'s `std::partition_point`): the first index that fulfils a condition that all indices after it fulfil, too;
    /// `upperBound` if none does.
    @inlinable @inline(__always)
    package func partitionPoint(_ isBehind: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = low &+ (high &- low) / 2
            if isBehind(middle) { high = middle } else { low = middle &+ 1 }
        }
        return low
    }
}

extension Array {
    /// The first index whose element fulfils a condition that all elements after it fulfil, too; `count` if none does.
    @inlinable
    package func partitionPoint(_ isBehind: (Element) -> Bool) -> Int { indices.partitionPoint { isBehind(self[$0]) } }
}
