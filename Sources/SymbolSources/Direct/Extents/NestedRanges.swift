/// Ranges that may lie in one another, as one row of pieces: what each address belongs to.
///
/// Of several ranges around an address the one that begins last is meant, of those that begin
/// together the last of the list: an inlined call begins at or after the start of what it was
/// inlined into, and comes after it. `SubroutineFinder` has the same rule for single addresses.
enum NestedRanges {
    struct Piece: Hashable {
        var range: Range<UInt64>
        /// Of the list.
        var index: Int
    }

    /// - Parameter ranges: in any order; empty ones are nowhere.
    /// - Returns: by address, none over another; neighbours belong to different ranges.
    static func pieces(of ranges: [Range<UInt64>]) -> [Piece] {
        let order = ranges.indices.filter { !ranges[$0].isEmpty }.sorted { (ranges[$0].lowerBound, $0) < (ranges[$1].lowerBound, $1) }
        var pieces: [Piece] = []
        pieces.reserveCapacity(order.count)
        // What is open, the one that began last on top; those that have ended are taken off when
        // they come to the top.
        var open: [Int] = []
        var position: UInt64 = 0
        func close(before limit: UInt64) {
            while let top = open.last, position < limit {
                let end = min(ranges[top].upperBound, limit)
                if end <= position {
                    open.removeLast()
                    continue
                }
                if let last = pieces.last, last.index == top, last.range.upperBound == position {
                    pieces[pieces.count - 1].range = last.range.lowerBound..<end
                } else {
                    pieces.append(Piece(range: position..<end, index: top))
                }
                position = end
            }
        }
        for index in order {
            close(before: ranges[index].lowerBound)
            position = ranges[index].lowerBound
            open.append(index)
        }
        close(before: .max)
        return pieces
    }
}
