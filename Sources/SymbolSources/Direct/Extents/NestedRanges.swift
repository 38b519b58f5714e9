/// Splits ranges that may be nested into pieces that do not overlap: one range for each address.
///
/// If several ranges contain an address, the one that begins last is chosen; of those that begin together, the
/// last in the list. An inlined call begins at or after the start of the function that it was inlined into, and
/// follows it in the list. `SubroutineFinder` has the same rule for single addresses.
enum NestedRanges {
    struct Piece: Hashable {
        var range: Range<UInt64>
        /// Index in the list of ranges.
        var index: Int
    }

    /// - Parameter ranges: in any order; empty ranges have no piece.
    /// - Returns: pieces sorted by address that do not overlap; adjacent pieces belong to different ranges.
    static func pieces(of ranges: [Range<UInt64>]) -> [Piece] {
        let order = ranges.indices.filter { !ranges[$0].isEmpty }.sorted { (ranges[$0].lowerBound, $0) < (ranges[$1].lowerBound, $1) }
        var pieces: [Piece] = []
        pieces.reserveCapacity(order.count)
        // Stack of the ranges that contain the position, the one that began last on top; ended ranges are
        // removed when they reach the top.
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
