internal import BinaryPrimitives

extension [Range<UInt64>] {
    /// Whether any of these has an address in common with a range.
    ///
    /// They are ascending, none over another.
    func overlap(_ range: Range<UInt64>) -> Bool {
        let low = (0..<count).partitionPoint { self[$0].upperBound > range.lowerBound }
        return low < count && self[low].lowerBound < range.upperBound
    }
}
