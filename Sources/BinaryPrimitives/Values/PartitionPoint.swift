extension Array {
    /// Binary search (C++'s `std::partition_point`): the first index whose element fulfils a condition that all elements after it fulfil too; `count` if
    /// none does.
    @inlinable
    package func partitionPoint(_ isBehind: (Element) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = low + (high - low) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
