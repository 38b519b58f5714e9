extension [Range<UInt64>] {
    /// Whether any of these has an address in common with a range.
    ///
    /// They are ascending, none over another.
    func overlap(_ range: Range<UInt64>) -> Bool {
        var low = 0
        var high = count
        while low < high {
            let middle = low &+ (high &- low) / 2
            if self[middle].upperBound <= range.lowerBound { low = middle &+ 1 } else { high = middle }
        }
        return low < count && self[low].lowerBound < range.upperBound
    }
}
