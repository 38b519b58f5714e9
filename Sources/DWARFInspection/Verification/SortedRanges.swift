internal import BinaryPrimitives

/// Address ranges in their order that do not overlap, each with whose it is. In pieces, so that one
/// in front of all others costs little: gcc writes the last function first.
struct SortedRanges {
    struct Item {
        var bounds: RangeLists.Bounds
        /// A number of whoever keeps the ranges.
        var owner: Int
    }

    private var pieces: [[Item]] = []
    private static let pieceLength = 512

    var isEmpty: Bool { pieces.isEmpty }
    var all: some Sequence<Item> { pieces.lazy.joined() }

    private static func precedes(_ left: RangeLists.Bounds, _ right: RangeLists.Bounds) -> Bool {
        left.low != right.low ? left.low < right.low : left.high < right.high
    }

    /// Ranges of no bytes overlap with none.
    static func overlap(_ left: RangeLists.Bounds, _ right: RangeLists.Bounds) -> Bool {
        left.low != left.high && right.low != right.high && left.low < right.high && right.low < left.high
    }

    /// The first position whose range is not before this one.
    private func position(of bounds: RangeLists.Bounds) -> (piece: Int, index: Int) {
        let low = pieces.partitionPoint { piece in piece.last.map { !Self.precedes($0.bounds, bounds) } ?? true }
        guard low < pieces.count else { return (low, 0) }
        let first = (0..<pieces[low].count).partitionPoint { !Self.precedes(pieces[low][$0].bounds, bounds) }
        return (low, first)
    }

    private func before(_ position: (piece: Int, index: Int)) -> (piece: Int, index: Int)? {
        if position.index > 0 { return (position.piece, position.index - 1) }
        return position.piece > 0 ? (position.piece - 1, pieces[position.piece - 1].count - 1) : nil
    }

    /// Adds a range. Where it overlaps with one of those beside its position, the two become one.
    /// - Returns: the range that it overlapped with, as it was.
    mutating func insert(_ bounds: RangeLists.Bounds, owner: Int) -> RangeLists.Bounds? {
        let position = position(of: bounds)
        let beside = [position.piece < pieces.count ? position : nil, before(position)]
        for case let (piece, index)? in beside {
            let other = pieces[piece][index].bounds
            guard Self.overlap(other, bounds) else { continue }
            pieces[piece][index].bounds = RangeLists.Bounds(low: min(other.low, bounds.low), high: max(other.high, bounds.high))
            return other
        }
        let item = Item(bounds: bounds, owner: owner)
        if position.piece == pieces.count {
            // After all.
            if let last = pieces.indices.last, pieces[last].count < Self.pieceLength {
                pieces[last].append(item)
            } else {
                pieces.append([item])
            }
            return nil
        }
        pieces[position.piece].insert(item, at: position.index)
        if pieces[position.piece].count > Self.pieceLength {
            let half = Array(pieces[position.piece].suffix(Self.pieceLength / 2))
            pieces[position.piece].removeLast(half.count)
            pieces.insert(half, at: position.piece + 1)
        }
        return nil
    }

    /// The owners of ranges that overlap with one, at most so many.
    func owners(overlapping bounds: RangeLists.Bounds, maxCount: Int) -> [Int] {
        guard bounds.low != bounds.high else { return [] }
        var position = position(of: RangeLists.Bounds(low: bounds.low, high: 0))
        // Those before do not overlap with each other, so the last of them with any bytes is
        // enough.
        var found: [Int] = []
        var previous = before(position)
        while let (piece, index) = previous {
            let item = pieces[piece][index]
            if Self.overlap(item.bounds, bounds) { found.append(item.owner) }
            if item.bounds.low != item.bounds.high { break }
            previous = before((piece, index))
        }
        while position.piece < pieces.count, found.count < maxCount {
            if position.index == pieces[position.piece].count {
                position = (position.piece + 1, 0)
                continue
            }
            let item = pieces[position.piece][position.index]
            if item.bounds.low >= bounds.high { break }
            if Self.overlap(item.bounds, bounds) { found.append(item.owner) }
            position.index += 1
        }
        return found
    }
}
